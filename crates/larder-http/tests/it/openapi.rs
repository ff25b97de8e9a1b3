//! The description, held against what is described.

use std::collections::BTreeSet;
use std::sync::Arc;

use larder_domain::{Answer, Deal, User, UserSource};
use larder_http::{Delays, Upstream};
use serde_json::Value;

use crate::support::{Client, Service};

/// Where nobody is.
struct Nobody;

impl UserSource for Nobody {
    fn user(&self, _: &str) -> Answer<'_, Option<User>> {
        Box::pin(async { Ok(None) })
    }
}

fn service() -> Service {
    let upstream = Upstream::parse("http://127.0.0.1:9").expect("a URL");
    Service::whole(&Arc::new(Nobody), &Delays::new(upstream, 0, 0))
}

fn description(client: &mut Client) -> Value {
    let answer = client.get("/openapi.json");
    assert_eq!(answer.header("content-type"), "application/json");
    answer.json()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn it_names_every_path_and_no_other() {
    let service = service();
    let description = description(&mut service.client());
    let listed = include_str!("../../src/app.rs").lines().filter_map(|line| {
        let path = line.strip_prefix("/// | `")?;
        path.split('`').next()
    });
    assert_eq!(keys(&description["paths"]), listed.collect());
}

#[test]
fn each_path_answers_the_methods_that_it_names() {
    let service = service();
    let mut client = service.client();
    let description = description(&mut client);
    for (path, item) in description["paths"].as_object().expect("paths") {
        let named = path
            .replace("{no}", "5")
            .replace("{id}", "ada")
            .replace("{seconds}", "0");
        let mut methods: BTreeSet<_> = keys(item).into_iter().map(str::to_uppercase).collect();
        methods.remove("PARAMETERS");
        if methods.contains("GET") {
            methods.insert("HEAD".to_owned());
        }
        client.send(format!("PATCH {named} HTTP/1.1\r\nHost: a\r\n\r\n"));
        let refused = client.answer();
        refused.problem(405);
        let allow = refused.header("allow").split(", ").map(str::to_owned);
        assert_eq!(allow.collect::<BTreeSet<_>>(), methods, "{path}");
    }
}

#[test]
fn its_schemas_are_what_is_answered() {
    let service = service();
    let mut client = service.client();
    let description = description(&mut client);
    let schemas = &description["components"]["schemas"];
    let fields = |name: &str| keys(&schemas[name]["properties"]);
    assert_eq!(fields("Deal"), BTreeSet::from(Deal::FIELDS));
    assert_eq!(keys(&client.get("/deals/5").json()), fields("Deal"));
    assert_eq!(keys(&client.get("/deals").json()), fields("Page"));
    let problem = client.get("/deals/x").json();
    assert!(keys(&problem).is_subset(&fields("Problem")), "{problem}");
    let named: Vec<_> = description["components"]["parameters"]
        .as_object()
        .expect("parameters")
        .values()
        .map(|parameter| parameter["name"].as_str().expect("a name"))
        .collect();
    let refused = client.get("/deals?colour=red").json();
    for name in named {
        let detail = refused["detail"].as_str().expect("a detail");
        assert!(detail.contains(name), "{detail}");
    }
}

#[test]
fn every_reference_in_it_leads_somewhere() {
    let service = service();
    let description = description(&mut service.client());
    let mut open = vec![&description];
    let mut references = 0;
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => {
                if let Some(Value::String(reference)) = object.get("$ref") {
                    let there = description.pointer(&reference[1..]);
                    assert!(there.is_some(), "{reference}");
                    references += 1;
                }
                open.extend(object.values());
            }
            Value::Array(array) => open.extend(array),
            _ => {}
        }
    }
    assert!(references > 20, "{references}");
}
