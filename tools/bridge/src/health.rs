//! `/metrics` and `/health`.

use crate::play::Shared;
use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use std::sync::Arc;
use tokio::net::TcpListener;

async fn metrics(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], shared.metrics.render())
}

async fn health(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    let games = shared.playing.lock().len();
    ([(CONTENT_TYPE, "application/json")], format!("{{\"status\":\"ok\",\"games\":{games}}}"))
}

/// Serves until the bridge ends.
pub async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let routes = Router::new().route("/metrics", get(metrics)).route("/health", get(health)).with_state(shared);
    crate::serve::serve(listener, routes).await;
}
