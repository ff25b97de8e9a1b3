//! Reports as they are kept and shown.

use larder_report::{Folder, Plot, Report, Scale, Seed, Table, Verdict, html, page};

fn report() -> Report {
    let mut report = Report::new("delay", "three requests at once", Scale::Quick);
    report.version("redis-server", "7.0.15");
    let mut table = Table::new("Three requests, ms", ["server", "third"]);
    table.row(["blocking", "2,003"]);
    report.tables.push(table);
    let plot = Plot::lines("Hit ratio", "capacity, entries", "%", [100.0, 1000.0]);
    report.plots.push(plot.series("larder", [20.0, 70.5]));
    let verdict = Verdict::lower("seed S3", "the single delay", 1.001);
    report.verdicts.push(verdict.floor(1.05).goal(1.005));
    report
        .seeds
        .push(Seed::new("third, blocking", "ms", 18_964.0, 2_003.0));
    report
}

#[test]
fn a_report_lies_in_its_folder_as_it_was() -> anyhow::Result<()> {
    let place = tempfile::tempdir()?;
    let folder = Folder::new(place.path().join("bench"));
    assert_eq!(folder.read()?, []);
    let mut first = report();
    folder.write(&first)?;
    first.notes.push("measured again".to_owned());
    let path = folder.write(&first)?;
    assert!(path.ends_with("bench/delay.json"), "{}", path.display());
    assert_eq!(folder.read()?, [first]);
    Ok(())
}

#[test]
fn a_number_that_is_none_is_refused_when_it_is_written() -> anyhow::Result<()> {
    let place = tempfile::tempdir()?;
    let mut report = report();
    report
        .seeds
        .push(Seed::new("a second without requests", "ms", 1.0, f64::NAN));
    let error = Folder::new(place.path())
        .write(&report)
        .expect_err("cannot be read again");
    assert!(error.to_string().contains("delay"), "{error:#}");
    Ok(())
}

#[test]
fn a_file_that_is_no_report_is_named() -> anyhow::Result<()> {
    let place = tempfile::tempdir()?;
    std::fs::write(place.path().join("micro.json"), "{}")?;
    let error = Folder::new(place.path()).read().expect_err("no report");
    assert!(error.to_string().contains("micro.json"), "{error:#}");
    Ok(())
}

#[test]
fn a_terminal_shows_every_part() {
    let text = report().to_string();
    let parts = [
        "delay: three requests at once",
        "`cargo xtask bench delay --quick`",
        "redis-server 7.0.15",
        "| blocking | 2,003 |",
        "| seed S3 | the single delay |   1.001× | 1.05×, 1.05× beyond | 1.005×, met |",
        "goal reached",
        "| third, blocking | ms   | 18,964 | 2,003 |",
    ];
    for part in parts {
        assert!(text.contains(part), "lacks {part}:\n{text}");
    }
}

#[test]
fn a_baseline_that_is_ahead_is_said_in_words() {
    let mut report = report();
    report
        .verdicts
        .push(Verdict::higher("TPS", "a pool", 0.5).floor(2.0));
    assert!(
        report
            .to_string()
            .contains("a pool is ahead by a factor of 2.00: TPS.")
    );
}

#[test]
#[should_panic(expected = "values of `larder`")]
fn a_plot_refuses_values_that_do_not_fit() {
    let plot = Plot::bars("TPS", "per second", ["30", "50"]);
    drop(plot.series("larder", [1.0]));
}

#[test]
fn the_page_needs_nothing_beside_it_and_shows_every_part() {
    let mut report = report();
    report
        .verdicts
        .push(Verdict::higher("TPS", "a <pool>", 0.5).floor(2.0));
    let page = html(&[report]);
    let parts = [
        "<section id=\"delay\">",
        "A quick look",
        "goal reached",
        "below the floor",
        "a &lt;pool&gt; is ahead by a factor of 2.00: TPS.",
        "<polyline",
        "<td class=\"number\">18,964</td>",
        "prefers-color-scheme: dark",
    ];
    for part in parts {
        assert!(page.contains(part), "lacks {part}:\n{page}");
    }
    for outside in ["<script", "<link", " src=", "url(", "@import"] {
        assert!(!page.contains(outside), "has {outside}");
    }
}

#[test]
fn a_page_without_reports_says_how_to_get_some() {
    assert!(html(&[]).contains("cargo xtask bench NAME"));
}

#[test]
fn the_sites_page_is_what_the_kept_results_say() -> anyhow::Result<()> {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let kept = std::fs::read_to_string(docs.join("src/explain/measurements.md"))?;
    let results = Folder::new(docs.join("results")).read()?;
    for Report {
        experiment, quick, ..
    } in &results
    {
        assert!(!quick, "{experiment} is a look, and no basis for goals");
    }
    let written = page(&results);
    assert!(
        kept == written,
        "they differ: `cargo xtask bench publish` writes the page anew"
    );
    Ok(())
}

#[test]
fn a_picture_on_the_sites_page_is_one_block() {
    let page = page(&[report()]);
    let (_, picture) = page.split_once("<svg").expect("the report has a plot");
    let (picture, _) = picture.split_once("</svg>").expect("it ends");
    assert!(!picture.contains("\n\n"), "{picture}");
    let opening = page.lines().take(3).collect::<Vec<_>>();
    assert!(
        opening[0].starts_with("# ") && opening[2].starts_with("How"),
        "{opening:?}"
    );
}
