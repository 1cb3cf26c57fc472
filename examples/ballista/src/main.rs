//! Extracts a table of texts on a cluster of [Ballista](https://datafusion.apache.org/ballista/),
//! and kills one executor.
//!
//! ```text
//! cargo run
//! ```
//!
//! It starts a scheduler and two executors as processes on 127.0.0.1, and a server that stands for
//! a model and counts its calls. In the middle of a query one executor is killed. The query
//! continues: the texts go to the other executor. It finds the answers of the dead one, and asks
//! again only about texts that were in flight.

mod cluster;
mod function;
mod model;

use std::{env, error::Error, path::Path, sync::Arc, time::Duration};

use ballista::prelude::SessionContextExt as _;
use datafusion::{
    arrow::{
        array::{AsArray as _, RecordBatch, StringArray, UInt32Array},
        datatypes::{DataType, Field, Schema, UInt32Type},
    },
    dataframe::DataFrameWriteOptions,
    prelude::{ParquetReadOptions, SessionContext},
};
use tokio::time::sleep;

use self::{
    cluster::Cluster,
    function::{CONCURRENT, extract_invoice},
    model::Model,
};

const FILES: u32 = 8;
const TEXTS: u32 = 400;

/// One text in this many cannot be read by the model.
const UNREADABLE: u32 = 40;

const QUERY: &str = "SELECT id, r.value.number AS number, r.value.total AS total, r.status AS status
                     FROM (SELECT id, extract_invoice(text) AS r FROM documents)
                     ORDER BY id";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => query().await,
        ["scheduler", port, model, shared] => {
            cluster::scheduler(port.parse()?, model.parse()?, Path::new(shared)).await
        }
        ["executor", scheduler, flight, grpc, model, shared] => {
            let ports = [scheduler.parse()?, flight.parse()?, grpc.parse()?];
            cluster::executor(ports, model.parse()?, Path::new(shared)).await
        }
        other => Err(format!("unknown arguments {other:?}").into()),
    }
}

async fn query() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (documents, shared) = (folder.path().join("documents"), folder.path().join("shared"));
    std::fs::create_dir(&shared)?;
    write_documents(&documents).await?;
    let model = Model::start().await?;
    let mut cluster = Cluster::start(model.address, &shared).await?;

    let context = SessionContext::remote(&format!("df://127.0.0.1:{}", cluster.scheduler)).await?;
    context.register_udf(extract_invoice(model.address, &shared)?);
    let path = documents.to_str().ok_or("a path that is not UTF-8")?;
    context.register_parquet("documents", path, ParquetReadOptions::default()).await?;

    let killing = async {
        while model.calls() < 100 {
            sleep(Duration::from_millis(10)).await;
        }
        cluster.kill_executor().await?;
        println!("killed an executor after {} calls", model.calls());
        Ok::<_, Box<dyn Error>>(())
    };
    let (rows, killed) = tokio::join!(rows(&context), killing);
    killed?;
    let rows = rows?;
    assert_eq!(rows, (0..TEXTS).map(expected).collect::<Vec<_>>());
    let done = rows.iter().filter(|row| row.status == "done").count();
    let again = model.calls() - rows.len();
    println!("{} rows, {done} done; {again} texts were asked about again", rows.len());
    assert!(again <= CONCURRENT, "{again}");

    let calls = model.calls();
    assert_eq!(self::rows(&context).await?, rows);
    assert_eq!(model.calls(), calls);
    println!("the same query again: the same rows, no call");
    Ok(())
}

/// A row of the result.
#[derive(Debug, PartialEq)]
struct Row {
    id: u32,
    number: Option<String>,
    total: Option<u32>,
    status: String,
}

fn expected(id: u32) -> Row {
    if id.is_multiple_of(UNREADABLE) {
        return Row { id, number: None, total: None, status: "failed".to_owned() };
    }
    Row { id, number: Some(format!("INV-{id}")), total: Some(id * 3), status: "done".to_owned() }
}

async fn rows(context: &SessionContext) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = Vec::new();
    for batch in context.sql(QUERY).await?.collect().await? {
        let text = |name| batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
        let (Some(number), Some(status)) = (text("number"), text("status")) else {
            return Err(format!("other columns: {}", batch.schema()).into());
        };
        let ids = batch.column(0).as_primitive::<UInt32Type>();
        let totals = datafusion::arrow::compute::cast(batch.column(2), &DataType::UInt32)?;
        let totals = totals.as_primitive::<UInt32Type>();
        rows.extend((0..batch.num_rows()).map(|row| Row {
            id: ids.value(row),
            number: number.iter().nth(row).flatten().map(str::to_owned),
            total: totals.iter().nth(row).flatten(),
            status: status.value(row).to_owned(),
        }));
    }
    Ok(rows)
}

/// Writes the table, one file for each part.
async fn write_documents(folder: &Path) -> Result<(), Box<dyn Error>> {
    let fields = vec![Field::new("id", DataType::UInt32, false), Field::new("text", DataType::Utf8, false)];
    let schema = Arc::new(Schema::new(fields));
    let context = SessionContext::new();
    for file in 0..FILES {
        let ids: Vec<u32> = (0..TEXTS).filter(|id| id % FILES == file).collect();
        let texts: Vec<String> = ids.iter().map(|id| text(*id)).collect();
        let columns: [Arc<dyn datafusion::arrow::array::Array>; 2] =
            [Arc::new(UInt32Array::from(ids)), Arc::new(StringArray::from(texts))];
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns.to_vec())?;
        let path = folder.join(format!("{file}.parquet"));
        let path = path.to_str().ok_or("a path that is not UTF-8")?;
        context.read_batch(batch)?.write_parquet(path, DataFrameWriteOptions::new(), None).await?;
    }
    Ok(())
}

fn text(id: u32) -> String {
    if id.is_multiple_of(UNREADABLE) {
        format!("A stain, number {id}.")
    } else {
        format!("Invoice INV-{id}, {} euros", id * 3)
    }
}
