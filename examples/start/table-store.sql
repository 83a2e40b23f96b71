CREATE TABLE webhook (
  folder text, name text, body bytea NOT NULL, reason text NOT NULL,
  saved_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (folder, name)
);
