//! Serving HTTP: few connections, none of them slow for long before it has said what it wants.

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// The most connections at a time; more wait for one to end.
const MOST_CONNECTIONS: usize = 128;

/// How long the head of a request may take to come; also how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(10);

/// Serves until it is dropped; with it go its connections.
pub async fn serve(listener: TcpListener, routes: Router) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        // It is never closed.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            // Too many open files, or a connection that was gone before it was taken.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // Short messages, each wanted at once.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(routes.clone());
        connections.spawn(async move {
            let _place = place;
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD);
            // How it ends is the other side's affair.
            let _ = http.serve_connection(TokioIo::new(stream), service).with_upgrades().await;
        });
        while connections.try_join_next().is_some() {}
    }
}
