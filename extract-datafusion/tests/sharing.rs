//! Jobs of several processes share their answers on an object store.

use std::{
    fmt, io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use extract::{Contract, Extractor, agent::Agent};
use extract_datafusion::{Job, JobAnswer, JobStatus};
use futures_util::{TryStreamExt as _, stream::BoxStream};
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, memory::InMemory,
    path::Path,
};
use serde_json::json;

/// Answers texts that are numbers, and counts; is asked by as many jobs as there are clones.
#[derive(Clone, Default)]
struct Reader {
    calls: Arc<AtomicUsize>,
    knows_words: Arc<AtomicBool>,
}

impl Reader {
    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    fn agent(&self) -> impl Agent + use<> {
        let Self { calls, knows_words } = self.clone();
        move |prompt: String| {
            calls.fetch_add(1, Ordering::Relaxed);
            let text = prompt.split("text ").last().unwrap_or_default().to_owned();
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            let knows = knows_words.load(Ordering::Relaxed);
            std::future::ready(Ok::<_, io::Error>(if digits.is_empty() && knows {
                "7".to_owned()
            } else {
                digits
            }))
        }
    }

    /// The job of another process.
    fn job(&self, store: &Arc<impl ObjectStore>) -> Job {
        self.job_with(store, Extractor::new().max_attempts(1))
    }

    fn job_with(&self, store: &Arc<impl ObjectStore>, extractor: Extractor) -> Job {
        let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
        let store: Arc<dyn ObjectStore> = Arc::clone(store) as _;
        Job::new(contract, self.agent(), extractor, 8).shared(store, &Path::from("answers"))
    }
}

async fn ask(job: &Job, texts: &[String]) -> Vec<Arc<JobAnswer>> {
    job.ask(texts.iter().map(|text| Some(&**text))).await.into_iter().flatten().collect()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

async fn segments(store: &impl ObjectStore) -> Vec<Path> {
    store.list(None).map_ok(|meta| meta.location).try_collect().await.unwrap()
}

#[tokio::test]
async fn another_process_takes_the_answers_that_are_there() {
    let (store, reader) = (Arc::new(InMemory::new()), Reader::default());
    let first = ask(&reader.job(&store), &texts(20)).await;
    assert_eq!(reader.calls(), 20);

    let second = reader.job(&store);
    let again = ask(&second, &texts(25)).await;
    assert_eq!(reader.calls(), 25);
    for (one, other) in first.iter().zip(&again) {
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
    }
    // What a third one answers meanwhile is known at the next query.
    ask(&reader.job(&store), &texts(30)).await;
    ask(&second, &texts(30)).await;
    assert_eq!(reader.calls(), 30);
}

#[tokio::test]
async fn answers_to_other_questions_do_not_count() {
    let (store, reader) = (Arc::new(InMemory::new()), Reader::default());
    ask(&reader.job(&store), &texts(3)).await;
    let settings = |extractor: Extractor| reader.job_with(&store, extractor.max_attempts(1));
    ask(&settings(Extractor::new().system("Count.")), &texts(3)).await;
    assert_eq!(reader.calls(), 6);
    ask(&settings(Extractor::new().token_budget(1_000_000)), &texts(3)).await;
    assert_eq!(reader.calls(), 6, "a limit does not change what is right");
}

#[tokio::test]
async fn a_value_replaces_a_failure_for_everybody() {
    let (store, reader) = (Arc::new(InMemory::new()), Reader::default());
    let words = ["text seven".to_owned()];
    let (first, second) = (reader.job(&store), reader.job(&store));
    assert_eq!(ask(&first, &words).await[0].status, JobStatus::Failed);
    assert_eq!(ask(&second, &words).await[0].status, JobStatus::Failed);
    assert_eq!(reader.calls(), 1, "a failure is an answer");

    reader.knows_words.store(true, Ordering::Relaxed);
    first.forget_failures();
    assert_eq!(ask(&first, &words).await[0].value, Some(json!(7)));
    assert_eq!(ask(&second, &words).await[0].value, Some(json!(7)));
    assert_eq!(ask(&reader.job(&store), &words).await[0].value, Some(json!(7)));
    assert_eq!(reader.calls(), 2);
}

#[tokio::test]
async fn a_damaged_segment_asks_nobody_until_it_is_deleted() {
    let (store, reader) = (Arc::new(InMemory::new()), Reader::default());
    let job = reader.job(&store);
    ask(&job, &texts(1)).await;
    let segment = segments(&*store).await.remove(0);
    let bytes = store.get(&segment).await.unwrap().bytes().await.unwrap();
    store.put(&segment, bytes.slice(..bytes.len() / 2).into()).await.unwrap();

    let other = reader.job(&store);
    for _ in 0..2 {
        let answers = ask(&other, &texts(1)).await;
        assert_eq!(answers[0].error.as_deref(), Some("Store"));
        assert!(answers[0].message.as_ref().unwrap().contains("delete it"), "{:?}", answers[0]);
    }
    assert_eq!(ask(&job, &texts(1)).await[0].value, Some(json!(0)), "who knows the answer has it");
    assert_eq!(reader.calls(), 1);

    store.delete(&segment).await.unwrap();
    assert_eq!(ask(&other, &texts(1)).await[0].value, Some(json!(0)));
    assert_eq!(reader.calls(), 2);
}

#[tokio::test]
async fn what_cannot_be_written_waits() {
    let store = Arc::new(Failing::default());
    let reader = Reader::default();
    let job = reader.job(&store);
    store.fails.store(true, Ordering::Relaxed);
    let answers = ask(&job, &texts(50)).await;
    assert!(answers.iter().all(|answer| answer.status == JobStatus::Done));
    assert!(store.puts.load(Ordering::Relaxed) <= 50, "each answer is tried once at most");
    job.flush().await.unwrap_err();
    assert!(segments(&*store).await.is_empty());

    store.fails.store(false, Ordering::Relaxed);
    job.flush().await.unwrap();
    assert_eq!(segments(&*store).await.len(), 1, "many answers are one segment");
    ask(&reader.job(&store), &texts(50)).await;
    assert_eq!(reader.calls(), 50);
}

/// A store that cannot be written at times.
#[derive(Debug, Default)]
struct Failing {
    inner: InMemory,
    fails: AtomicBool,
    puts: AtomicUsize,
}

impl fmt::Display for Failing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Failing")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Failing {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> object_store::Result<PutResult> {
        self.puts.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        if self.fails.load(Ordering::Relaxed) {
            return Err(object_store::Error::Generic { store: "failing", source: "no room".into() });
        }
        self.inner.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> object_store::Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> object_store::Result<GetResult> {
        self.inner.get_opts(path, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, object_store::Result<Path>>,
    ) -> BoxStream<'static, object_store::Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> object_store::Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> object_store::Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
