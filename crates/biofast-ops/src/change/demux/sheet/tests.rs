use super::*;

fn parse(text: &str, lane: Option<u32>) -> Result<Sheet, String> {
    Sheet::parse(text.as_bytes(), lane).map_err(|error| error.to_string())
}

fn ids(sheet: &Sheet) -> Vec<String> {
    sheet.samples.iter().map(|sample| format!("{}={}", sample.id, sample.barcode)).collect()
}

#[test]
fn tables_of_any_separator_and_spelling_are_read() {
    for text in [
        "sample_id\tbarcode\nx\tACGT\ny\tGGTT\n",
        "Barcode,Sample ID\r\nacgt,x\r\n\r\nGGTT,y\r\n",
        "# made by hand\nsample;barcode\nx;\"ACGT\"\ny;GGTT",
        "\u{feff}sample_id,barcode,comment\nx,AC-GT,\"a, \"\"b\"\"\"\ny,GG-TT,\n",
        "sample,barcode1,barcode2\nx,AC,GT\ny,GG,TT\n",
    ] {
        assert_eq!(
            ids(&parse(text, None).unwrap_or_else(|e| panic!("{text}: {e}"))),
            ["x=ACGT", "y=GGTT"]
        );
    }
    let sheet = parse("sample,barcode1,barcode2\nx,AC,GTA\ny,GG,TTA\n", None).expect("a sheet");
    assert_eq!(sheet.parts, [2, 3]);
    assert_eq!(parse("sample_id,barcode\nx,AC+GTA\n", None).expect("a sheet").parts, [2, 3]);
    assert!(parse("sample_id,barcode\nx,ACGTA\n", None).expect("a sheet").parts.is_empty());
}

#[test]
fn illuminas_sheets_have_lanes_two_indexes_and_cycles() {
    let v1 = "[Header],,,\nIEMFileVersion,4,,\n\n[Reads],,,\n151,,,\n[Settings],,,\nAdapter,AGATC,,\n[Data],,,\n\
              Lane,Sample_ID,Sample_Name,index,I7_Index_ID,index2\n1,a,A,AAAA,n1,CCCC\n2,b,B,GGGG,n2,TTTT\n2,a,A,AAAA,n1,CCCC\n,,,,,\n";
    assert_eq!(ids(&parse(v1, None).expect("a sheet")), ["a=AAAACCCC", "b=GGGGTTTT"]);
    assert_eq!(ids(&parse(v1, Some(1)).expect("a sheet")), ["a=AAAACCCC"]);
    assert_eq!(parse(v1, Some(3)), Err("no samples in lane 3".into()));
    let v2 = "[Header]\nFileFormatVersion,2\n[BCLConvert_Settings]\nSoftwareVersion,3.10\nOverrideCycles,U7N1Y143;I8;N10;Y*\n\
              [BCLConvert_Data]\nSample_ID,Index\nx,ACGTACGT\n[Cloud_Data]\nSample_ID,LibraryName\nx,y\n";
    let sheet = parse(v2, None).expect("a sheet");
    let structures: Vec<String> = sheet.structures.iter().map(ToString::to_string).collect();
    assert_eq!(
        (ids(&sheet), structures),
        (vec!["x=ACGTACGT".into()], ["7M1S143T", "8B", "10S", "+T"].map(String::from).into())
    );
    let own = v2.replace(
        "Sample_ID,Index\nx,ACGTACGT",
        "Sample_ID,Index,OverrideCycles\nx,ACGTACGT,Y9;I8;N10;Y9",
    );
    assert!(
        parse(&own, None)
            .is_err_and(|e| e.contains("line 8: OverrideCycles is Y9;I8;N10;Y9 but U7N1Y143"))
    );
    let wrong = v2.replace("U7N1", "U7Q1");
    assert!(
        parse(&wrong, None)
            .is_err_and(|e| e.contains("line 5: OverrideCycles") && e.contains("'Q'"))
    );
    let shared = v1.replace("2,b,B,GGGG,n2,TTTT", "2,b,B,AAAA,n2,CCCC");
    assert!(parse(&shared, None).is_err_and(|e| {
        e.contains("has the same barcode as sample a on line 10: choose a lane with --lane")
    }));
    assert!(parse(&shared, Some(1)).is_ok());
}

#[test]
fn what_is_wrong_names_its_line() {
    for (text, why) in [
        ("", "it is empty"),
        ("sample_id,barcode\n", "no samples"),
        ("id,barcod\nx,AC\n", "line 1: no column barcode"),
        (
            "x,ACGT\ny,GGTT\n",
            "line 1: no column sample_id: the first line must name the columns, such as sample_id and barcode",
        ),
        (
            "sample_id,barcode\nx,AC\ny,ACG\n",
            "line 3: the barcode of sample y differs in length from the one on line 2",
        ),
        (
            "sample_id,barcode,read_structure\nx,AC,2B+T\ny,ACG,\n",
            "line 3: the barcode of sample y differs in length from the one on line 2",
        ),
        (
            "sample_id,barcode\nx,AC\ny,AC\n",
            "line 3: sample y has the same barcode as sample x on line 2",
        ),
        ("sample_id,barcode\nx,\n", "line 2: sample x has no barcode"),
        ("sample_id,barcode\n,AC\n", "line 2: sample without a name"),
        (
            "sample_id,barcode\n../x,AC\n",
            "line 2: sample ../x can't be a file name: it contains '/'",
        ),
        ("sample_id,barcode\n.x,AC\n", "starts with a dot"),
        ("sample_id,barcode\n\"x,AC\n", "line 2: missing closing quote"),
        ("sample_id,barcode,lane\nx,AC,one\n", "line 2: 'one' is not a lane number"),
        ("sample_id,barcode\nx,AC\n", "line 1: no column lane to choose lane 1 by"),
    ] {
        let lane = why.contains("lane").then_some(1);
        let error = parse(text, lane).expect_err(text);
        assert!(error.contains(why), "{text:?}: {error}");
    }
    let error = Sheet::parse(b"sample_id,barcode\nx,A\xff\n", None).expect_err("no UTF-8");
    assert_eq!(error.to_string(), "line 2: not UTF-8");
}
