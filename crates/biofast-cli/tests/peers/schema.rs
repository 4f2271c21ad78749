//! The schemas beside another validator.

use crate::common::schema::names;
use crate::common::{Folder, biofast, finish};
use crate::tools::need;

#[test]
#[ignore = "needs check-jsonschema"]
fn another_validator_agrees() {
    let folder = Folder::new();
    for name in names() {
        let path = folder.file("schema.json", biofast(&["schema", &name]).stdout);
        let mut check = need("check-jsonschema");
        check.args(["--check-metaschema", &path]);
        let run = finish(check);
        assert_eq!(run.code, 0, "{name}: {}{}", run.stdout, run.stderr);
    }
}
