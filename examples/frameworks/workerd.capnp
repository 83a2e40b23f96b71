# The worker of worker.ts, bundled, as Cloudflare's own runtime serves it on this machine.
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "callbacks", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:3000", http = (), service = "callbacks")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.bundle.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["nodejs_compat"],
);
