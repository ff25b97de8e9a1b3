//! A batch from its call to its answers, in both lives.

use std::future::Future;
use std::sync::Arc;

use larder_core::Key;
use larder_flight::{Leads, Waiter};

use super::asked::Asked;
use super::batch::{Batch, Led, Round};
use super::pairs::Pairs;
use crate::cache::Inner;
use crate::load::{Answered, Ask, Landed, Life, Overdue};
use crate::mode::Mode;

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// The answers of the keys, by a detached load where one is needed.
    ///
    /// The load waits for nothing but its sources, and others' loads are waited for in the call: so
    /// of batches that overlap crosswise none keeps the other from its end.
    pub(super) async fn fetch_many<R, M, B, F>(
        self: &Arc<Self>,
        asked: &Asked<K>,
        ask: Ask,
        body: B,
    ) -> Vec<Answered<V>>
    where
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F + Send + Sync + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        let ask = ask.under(self.mode());
        if ask.mode == Mode::Off {
            return self.past_many(asked, &ask, &body).await;
        }
        let mut batch = Batch::new(self, asked, &ask);
        let body = Arc::new(body);
        while !batch.is_over() {
            let Round {
                own,
                led,
                leads,
                joined,
            } = batch.enter();
            let waiters = self.lead_many(leads, led, &ask, &body);
            for (open, waiter) in own.into_iter().zip(waiters) {
                let landed = waiter.wait().await;
                batch.landed(open, landed);
            }
            batch.join(joined).await;
        }
        batch.answers()
    }

    fn lead_many<R, M, B, F>(
        self: &Arc<Self>,
        leads: Leads<K, Landed<V>>,
        led: Vec<Led<K>>,
        ask: &Ask,
        body: &Arc<B>,
    ) -> Vec<Waiter<Landed<V>>>
    where
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F + Send + Sync + 'static,
        F: Future<Output = R> + Send + 'static,
    {
        if ask.life == Life::Cancel {
            leads.end_with_callers();
        }
        let deadline = self.times.with(&ask.terms).deadline;
        let led: Arc<[Led<K>]> = led.into();
        let (asking, mode, body) = (ask.clone(), ask.mode, Arc::clone(body));
        let overdue = Overdue::new(self, Arc::clone(&led), self.near.now().after(deadline));
        let load = move |early| async move {
            let (inner, there) = (overdue.inner(), overdue.places());
            inner.bring_many((there, &early), &asking, &*body).await;
            overdue.ended();
            Ok(Vec::new())
        };
        let inner = Arc::clone(self);
        let keep = move |at: usize, brought| inner.keep(led[at].place.clone(), mode, brought);
        leads.start(deadline, load, keep)
    }

    /// As [`fetch_many`](Self::fetch_many), with a load that runs in the call.
    pub(super) async fn fetch_many_here<R, M, B, F>(
        &self,
        asked: &Asked<K>,
        ask: Ask,
        body: B,
    ) -> Vec<Answered<V>>
    where
        R: Pairs<K, V, M>,
        B: Fn(Vec<K>) -> F,
        F: Future<Output = R>,
    {
        let ask = ask.under(self.mode());
        if ask.mode == Mode::Off {
            return self.past_many(asked, &ask, &body).await;
        }
        let mut batch = Batch::new(self, asked, &ask);
        let deadline = self.times.with(&ask.terms).deadline;
        while !batch.is_over() {
            let Round {
                own,
                led,
                leads,
                joined,
            } = batch.enter();
            let (here, ask, body) = (&led[..], &ask, &body);
            let load = |early| async move {
                self.bring_many((here, &early), ask, body).await;
                Ok(Vec::new())
            };
            let keep = |at: usize, brought| self.keep(led[at].place.clone(), ask.mode, brought);
            let landed = leads.hold(deadline, load, keep).await;
            for (open, landed) in own.into_iter().zip(landed) {
                batch.landed(open, landed);
            }
            batch.join(joined).await;
        }
        batch.answers()
    }
}
