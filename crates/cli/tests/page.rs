//! `--html FILE` writes a page beside what a command prints. What the page does is tried in a
//! browser by `cargo xtask page`.

mod common;

use common::{Folder, run};
use serde_json::Value;
use std::fs;

/// Figure 4 of the paper, with its first property.
const DEMO2: &str = "node demo2 ( a1 , a2 : int )
returns ( Prop1 : bool ; b : int );
var
  d : bool;
let
  d = (a1 > 0);
  b = if d or (a2 < 0) then a1 else a2;
  Prop1 = (b = a1 or b = a2);
  --%PROPERTY Prop1;
tel;
";

/// A folder with the model.
fn with_model(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.file("demo2.lus", DEMO2);
    folder
}

/// What a page is drawn from.
fn data(folder: &Folder, name: &str) -> Value {
    let page = fs::read_to_string(folder.0.join(name)).expect("there is a page");
    let (_, rest) = page.split_once("id=\"data\">").expect("it has data");
    let (data, _) = rest.split_once("</script>").expect("they end");
    serde_json::from_str(data).expect("they are JSON")
}

#[test]
fn each_command_writes_its_page_beside_what_it_prints() {
    let folder = with_model("commands");
    let model = folder.at("demo2.lus");
    for command in ["check", "ivc", "mutate"] {
        let page = folder.at("page.html");
        let (code, out, err) = run(&[command, &model, "--json", "--html", &page]);
        let (expected, ..) = run(&[command, &model, "--json"]);
        assert_eq!(code, expected, "{err}");
        let printed: Value = serde_json::from_str(&out).expect("one document and nothing else");
        let data = data(&folder, "page.html");
        assert_eq!(data["command"], command);
        assert_eq!(data["files"][0]["text"], DEMO2);
        assert_eq!(data["properties"][0]["name"], "Prop1");
        let count = |value: &Value| value["mutants"].as_array().map_or(0, Vec::len);
        assert_eq!(count(&data), count(&printed));
    }
}

#[test]
fn the_page_of_a_campaign_tells_what_elements_are_to_the_proofs() {
    let folder = with_model("roles");
    let (model, page) = (folder.at("demo2.lus"), folder.at("page.html"));
    run(&["mutate", "--mutators", "paper", &model, "--html", &page]);
    let data = data(&folder, "page.html");
    let elements = data["elements"].as_array().expect("there are elements");
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let roles: Vec<String> = elements
        .iter()
        .map(|one| format!("{} {}", word(&one["name"]), word(&one["role"]["Prop1"])))
        .collect();
    assert_eq!(roles, ["d unused", "b must", "Prop1 must"]);
    // Mutants know their elements by the same ids.
    let ids: Vec<&Value> = elements.iter().map(|one| &one["id"]).collect();
    let mutants = data["mutants"].as_array().expect("there are mutants");
    assert!(mutants.iter().all(|one| ids.contains(&&one["element"])));
}

#[test]
fn a_merged_campaign_has_a_page_with_the_text_while_it_is_the_same() {
    let folder = with_model("merge");
    let (model, page) = (folder.at("demo2.lus"), folder.at("page.html"));
    let parts: Vec<String> = (1..=2)
        .map(|number| {
            let part = format!("{number}/2");
            let (_, out, _) = run(&["mutate", &model, "--shard", &part, "--json"]);
            let path = folder.at(&format!("{number}.json"));
            fs::write(&path, out).expect("a file can be written");
            path
        })
        .collect();
    let (_, _, err) = run(&["merge", &parts[0], &parts[1], "--html", &page]);
    assert_eq!(err, "");
    assert_eq!(data(&folder, "page.html")["files"][0]["text"], DEMO2);
    fs::write(&model, "-- another one").expect("a file can be written");
    let (_, _, err) = run(&["merge", &parts[0], &parts[1], "--html", &page]);
    assert!(err.contains("without the text of"), "{err}");
    assert_eq!(
        data(&folder, "page.html")["files"],
        Value::Array(Vec::new())
    );
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let folder = with_model("nowhere");
    let (model, page) = (
        folder.at("demo2.lus"),
        folder.at("no/such/folder/page.html"),
    );
    let (code, _, err) = run(&["check", &model, "--html", &page]);
    assert_eq!(code, Some(1));
    assert!(err.contains("cannot write"), "{err}");
}
