//! Servers that do not tell what other programs write.

use std::sync::Arc;
use std::time::Duration;

use larder::Redis;
use larder_servers::{Cluster, Server, until};
use smol::block_on;

use crate::connects::{connect, runtime};
use crate::writers::{ENTRY, Node, fetch};

#[test]
fn a_server_that_may_not_tell_leaves_the_blind_ttl_and_other_caches_alone() {
    let Some(server) = Server::start() else {
        return;
    };
    let user = |words: &[&str]| {
        server
            .ask(&[&["ACL", "SETUSER", "shop"], words].concat())
            .unwrap();
    };
    user(&["on", ">right", "allkeys", "allchannels", "+@all", "-client"]);
    let url = server.url().replace("redis://", "redis://shop:right@");
    let redis = Redis::over(Arc::new(connect(&url)), runtime(), "shop");
    let node = Node::over(redis, Duration::from_millis(300)).unwrap();
    is_told_nothing(&node);
    user(&["+client|tracking"]);
    until("a server that tells", || (!node.is_blind()).then_some(()));
    node.holds(5);
    let new = node.change();
    server.ask(&["DEL", ENTRY]).unwrap();
    until("a new value", || (node.fetch(5).0 == new).then_some(()));
}

#[test]
fn a_server_of_the_older_protocol_leaves_the_blind_ttl_and_other_caches_alone() {
    let Some(server) = Server::start_with(&["--rename-command", "HELLO", ""]) else {
        return;
    };
    let redis = Redis::over(Arc::new(connect(&server.url())), runtime(), "shop");
    let node = Node::over(redis, Duration::from_millis(300)).unwrap();
    is_told_nothing(&node);
}

/// Its other cache hears, and this one lets go by itself.
fn is_told_nothing(node: &Node) {
    until("a cache that hears", || {
        (!block_on(node.own.explain(&5)).blind).then_some(())
    });
    assert!(node.is_blind());
    let near = || (fetch(&node.own, 5, &node.source).1 == "near").then_some(());
    until("a near value of the other cache", near);
    node.fetch(5);
    let far = || (node.fetch(5).1 == "far").then_some(());
    until("a near value that is too old", far);
}

#[test]
fn a_cluster_is_refused_by_name() {
    let Some(cluster) = Cluster::start_masters() else {
        return;
    };
    let redis = Redis::over(Arc::new(connect(&cluster.url())), runtime(), "shop");
    let refused = Node::over(redis, Duration::from_secs(60)).err().unwrap();
    assert_eq!(refused.setting(), "foreign_writers");
    assert!(refused.to_string().contains("Redis Cluster"), "{refused}");
}
