//! Runs the scheduler and the executors of Ballista as processes on 127.0.0.1.

use std::{
    env,
    error::Error,
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::Path,
    sync::Arc,
    time::Duration,
};

use ballista_core::{registry::BallistaFunctionRegistry, utils::default_session_builder};
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::{
    cluster::BallistaCluster, config::SchedulerConfig, scheduler_process::start_server,
};
use datafusion::execution::FunctionRegistry as _;
use tokio::{
    net::TcpStream,
    process::{Child, Command},
    time::sleep,
};

use crate::function::extract_invoice;

/// Tasks that an executor runs at once.
const TASKS: usize = 4;

/// Seconds without a heartbeat after which an executor counts as dead.
const TIMEOUT: u64 = 5;

/// The processes of a cluster.
pub struct Cluster {
    pub scheduler: u16,
    _scheduler: Child,
    executors: Vec<Child>,
}

impl Cluster {
    /// Starts a scheduler and two executors.
    pub async fn start(model: SocketAddr, shared: &Path) -> Result<Self, Box<dyn Error>> {
        let port = free_port()?;
        let start = |arguments: &[String]| {
            let mut command = Command::new(env::current_exe()?);
            command.args(arguments).arg(model.to_string()).arg(shared).kill_on_drop(true).spawn()
        };
        let scheduler = start(&["scheduler".to_owned(), port.to_string()])?;
        wait_for(port).await?;
        let mut executors = Vec::new();
        for _ in 0..2 {
            let (flight, grpc) = (free_port()?, free_port()?);
            let ports = [port, flight, grpc].map(|port| port.to_string());
            executors.push(start(&[&["executor".to_owned()][..], &ports].concat())?);
            wait_for(grpc).await?;
        }
        Ok(Self { scheduler: port, _scheduler: scheduler, executors })
    }

    /// Kills an executor, like `kill -9`.
    pub async fn kill_executor(&mut self) -> io::Result<()> {
        match self.executors.pop() {
            Some(mut executor) => executor.kill().await,
            None => Ok(()),
        }
    }
}

/// The process of the scheduler.
pub async fn scheduler(port: u16, model: SocketAddr, shared: &Path) -> Result<(), Box<dyn Error>> {
    let function = Arc::new(extract_invoice(model, shared)?);
    let config = SchedulerConfig {
        bind_port: port,
        executor_timeout_seconds: TIMEOUT,
        expire_dead_executor_interval_seconds: 1,
        ..SchedulerConfig::default()
    };
    let config = config.with_override_session_builder(Arc::new(move |config| {
        let mut state = default_session_builder(config)?;
        state.register_udf(Arc::clone(&function))?;
        Ok(state)
    }));
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, (Ipv4Addr::LOCALHOST, port).into(), Arc::new(config)).await?;
    Ok(())
}

/// The process of an executor.
pub async fn executor(
    [scheduler, flight, grpc]: [u16; 3],
    model: SocketAddr,
    shared: &Path,
) -> Result<(), Box<dyn Error>> {
    let function = Arc::new(extract_invoice(model, shared)?);
    let mut functions = BallistaFunctionRegistry::default();
    functions.scalar_functions.insert(function.name().to_owned(), function);
    let config = ExecutorProcessConfig {
        scheduler_host: Ipv4Addr::LOCALHOST.to_string(),
        scheduler_port: scheduler,
        external_host: Some(Ipv4Addr::LOCALHOST.to_string()),
        port: flight,
        grpc_port: grpc,
        vcores: TASKS,
        executor_heartbeat_interval_seconds: 1,
        override_function_registry: Some(Arc::new(functions)),
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await?;
    Ok(())
}

/// A port without a listener.
fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Waits for a listener on `port`.
async fn wait_for(port: u16) -> io::Result<()> {
    let mut result = Ok(());
    for _ in 0..100 {
        result = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.map(drop);
        if result.is_ok() {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    result
}
