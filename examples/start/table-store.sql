CREATE TABLE webhook (
  name text PRIMARY KEY, place text NOT NULL, body bytea NOT NULL, reason text NOT NULL,
  arrived timestamptz NOT NULL DEFAULT now(),
  since timestamptz(3) NOT NULL DEFAULT now(), -- as exact as a Date
  tries integer NOT NULL DEFAULT 0
);
