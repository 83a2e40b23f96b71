-- For PostgreSQL. Run it once, in a migration: of two processes that create a table at the same time, one fails.

-- Every event that moved money, under its idempotency key, and what it moved.
CREATE TABLE event (
  key text PRIMARY KEY,
  account text NOT NULL,
  currency text NOT NULL,
  amount numeric NOT NULL, -- exact at any size
  body bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE balance (
  account text,
  currency text,
  amount numeric NOT NULL,
  PRIMARY KEY (account, currency)
);

-- What a person has to look at, each body once, however often it is delivered.
CREATE TABLE held (
  digest bytea PRIMARY KEY,
  body bytea NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
