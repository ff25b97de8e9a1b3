//! Every Rust block of the documentation site, as a doctest.

/// Makes each page the documentation of an item, whose blocks rustdoc compiles and runs.
macro_rules! pages {
    ($($name:ident: $page:literal,)*) => {$(
        #[cfg(doctest)]
        #[doc = include_str!($page)]
        pub struct $name;
    )*};
}

pages! {
    Index: "../../docs/src/README.md",
    GettingStarted: "../../docs/src/tutorial/getting-started.md",
    HowtoAdaptive: "../../docs/src/howto/adaptive.md",
    HowtoBlockingCallers: "../../docs/src/howto/blocking-callers.md",
    HowtoChanges: "../../docs/src/howto/changes.md",
    HowtoCodecs: "../../docs/src/howto/codecs.md",
    HowtoExecutors: "../../docs/src/howto/executors.md",
    HowtoFailures: "../../docs/src/howto/failures.md",
    HowtoFar: "../../docs/src/howto/far.md",
    HowtoKeys: "../../docs/src/howto/keys.md",
    HowtoLease: "../../docs/src/howto/lease.md",
    HowtoLoad: "../../docs/src/howto/load.md",
    HowtoMany: "../../docs/src/howto/many.md",
    HowtoRedis: "../../docs/src/howto/redis.md",
    HowtoService: "../../docs/src/howto/service.md",
    HowtoStreams: "../../docs/src/howto/streams.md",
    HowtoSwitches: "../../docs/src/howto/switches.md",
    HowtoTesting: "../../docs/src/howto/testing.md",
    HowtoTimes: "../../docs/src/howto/times.md",
    HowtoWatching: "../../docs/src/howto/watching.md",
    ReferenceAttributes: "../../docs/src/reference/attributes.md",
    ReferenceCache: "../../docs/src/reference/cache.md",
    ReferenceCommands: "../../docs/src/reference/commands.md",
    ReferenceContainer: "../../docs/src/reference/container.md",
    ReferenceEvents: "../../docs/src/reference/events.md",
    ReferenceFrame: "../../docs/src/reference/frame.md",
    ReferenceKeys: "../../docs/src/reference/keys.md",
    ReferenceMetrics: "../../docs/src/reference/metrics.md",
    ReferenceOutcomes: "../../docs/src/reference/outcomes.md",
    ReferenceRedis: "../../docs/src/reference/redis.md",
    ReferenceService: "../../docs/src/reference/service.md",
    ReferenceStatistics: "../../docs/src/reference/statistics.md",
    ReferenceWords: "../../docs/src/reference/words.md",
    ExplainCost: "../../docs/src/explain/cost.md",
    ExplainDifferently: "../../docs/src/explain/differently.md",
    ExplainInvalidation: "../../docs/src/explain/invalidation.md",
    ExplainLoads: "../../docs/src/explain/loads.md",
    ExplainMeasurements: "../../docs/src/explain/measurements.md",
    ExplainRuntime: "../../docs/src/explain/runtime.md",
    ExplainWhenNot: "../../docs/src/explain/when-not.md",
    ContributingArchitecture: "../../docs/src/contributing/architecture.md",
    ContributingMutants: "../../docs/src/contributing/mutants.md",
    ContributingStyle: "../../docs/src/contributing/style.md",
    ContributingModel: "../../docs/src/contributing/model.md",
    ContributingSimulator: "../../docs/src/contributing/simulator.md",
    ContributingTesting: "../../docs/src/contributing/testing.md",
}
