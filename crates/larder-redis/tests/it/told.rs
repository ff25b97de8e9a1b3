//! A wire that answers what it is told to.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use bytes::Bytes;
use larder_core::BoxFuture;
use larder_core::far::FarError;
use larder_kit::Gate;
use larder_redis::{Call, Ear, Reply, Request, Route, Wire};

/// A wire that answers what it is told to, and keeps what it was asked.
pub(crate) struct Told {
    cluster: bool,
    answer: Box<dyn Fn(&Request) -> Reply + Send + Sync>,
    /// Where answers wait.
    pub(crate) answers: Gate,
    /// Of its connection; none if it is zero.
    pub(crate) generation: AtomicU64,
    pub(crate) asked: Mutex<Vec<Vec<Request>>>,
    pub(crate) distrusted: AtomicUsize,
    pub(crate) ears: Mutex<Vec<(Bytes, Weak<dyn Ear>)>>,
    /// Who hears of writes.
    pub(crate) tracking: Mutex<Vec<(Bytes, Weak<dyn Ear>)>>,
}

impl Told {
    /// Answers each request as `answer` says.
    pub(crate) fn new(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Arc<Self> {
        Self::build(false, answer)
    }

    pub(crate) fn cluster(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Arc<Self> {
        Self::build(true, answer)
    }

    fn build(
        cluster: bool,
        answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self {
            cluster,
            answer: Box::new(answer),
            answers: Gate::opened(),
            generation: AtomicU64::new(1),
            asked: Mutex::default(),
            distrusted: AtomicUsize::new(0),
            ears: Mutex::default(),
            tracking: Mutex::default(),
        })
    }

    /// What it answers.
    pub(crate) fn reply(&self, request: &Request) -> Reply {
        (self.answer)(request)
    }

    /// The names of what was asked, batch by batch, since this was called last.
    pub(crate) fn names(&self) -> Vec<Vec<&'static str>> {
        let asked = std::mem::take(&mut *self.asked.lock().unwrap());
        let names = |batch: Vec<Request>| batch.iter().map(name).collect();
        asked.into_iter().map(names).collect()
    }
}

impl Wire for Told {
    fn send(&self, batch: Vec<Request>) -> BoxFuture<'_, Result<Vec<Reply>, FarError>> {
        Box::pin(async move {
            let replies = batch.iter().map(&self.answer).collect();
            self.asked.lock().unwrap().push(batch);
            self.answers.wait().await;
            Ok(replies)
        })
    }

    fn is_cluster(&self) -> bool {
        self.cluster
    }

    fn masters(&self) -> BoxFuture<'_, Result<usize, FarError>> {
        Box::pin(async { Ok(if self.cluster { 3 } else { 1 }) })
    }

    fn distrust(&self) {
        self.distrusted.fetch_add(1, Ordering::Relaxed);
    }

    fn generation(&self) -> Option<u64> {
        let generation = self.generation.load(Ordering::Relaxed);
        (generation != 0).then_some(generation)
    }

    fn subscribe(&self, channel: Bytes, ear: Weak<dyn Ear>) {
        self.ears.lock().unwrap().push((channel, ear));
    }

    fn tracks(&self) -> Result<(), &'static str> {
        Ok(())
    }

    fn track(&self, prefix: Bytes, ear: Weak<dyn Ear>) {
        self.tracking.lock().unwrap().push((prefix, ear));
    }
}

pub(crate) fn name(request: &Request) -> &'static str {
    match request.call() {
        Call::Command { name, .. } => name,
        Call::Script { script, .. } => script.name(),
    }
}

/// The keys of a request that goes to the server of a key.
pub(crate) fn keys(request: &Request) -> Vec<Bytes> {
    let all = match request.call() {
        Call::Script { keys, .. } => keys.clone(),
        Call::Command { name, args } if *name == "MGET" || *name == "UNLINK" => args.clone(),
        Call::Command { args, .. } => args[..1].to_vec(),
    };
    match request.route() {
        Route::Master(_) => Vec::new(),
        Route::Key(_) => all,
    }
}

/// What an empty server answers.
pub(crate) fn empty(request: &Request) -> Reply {
    match request.call() {
        Call::Command { name, args } => match *name {
            "PTTL" => Reply::Int(-2),
            "MGET" => Reply::Array(vec![Reply::Nil; args.len()]),
            "SET" => Reply::ok(),
            "UNLINK" => Reply::Int(0),
            "SCAN" => Reply::Array(vec![Reply::bytes("0"), Reply::Array(Vec::new())]),
            _ => Reply::Nil,
        },
        Call::Script { script, keys, .. } => match script.name() {
            "vouch" => Reply::Array(vec![Reply::bytes(vec![7; 16]); keys.len()]),
            "number" => Reply::bytes("5"),
            _ => Reply::Int(1),
        },
    }
}
