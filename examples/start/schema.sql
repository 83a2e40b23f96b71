-- For PostgreSQL. Run it once, in a migration: of two processes that create a table at the same
-- time, one fails.

-- Every event that moved money, under its idempotency key, and what it moved.
CREATE TABLE event (
  key text PRIMARY KEY,
  account text NOT NULL,
  -- As postgres.mjs spells it: usdt, uſdt and one with a space would be balances of their own.
  currency text NOT NULL
    CHECK (currency ~ '^[ -~]+$' AND currency = upper(btrim(currency) COLLATE "C")),
  amount numeric NOT NULL, -- exact at any size
  body bytea NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  deliveries integer NOT NULL DEFAULT 1
);

CREATE TABLE balance (
  account text,
  currency text,
  amount numeric NOT NULL,
  PRIMARY KEY (account, currency)
);

-- Bodies for review, each once, however often it is delivered.
CREATE TABLE held (
  digest bytea PRIMARY KEY,
  body bytea NOT NULL,
  reason text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  done text -- what was done about it; null while it waits
);

-- Books an event once, all of it or nothing. Returns settled, repeated, or conflict if the key is
-- known with another account, currency or amount. What you add here is in the same transaction. For
-- double entry, write a second line with the opposite amount, to one of several accounts: every
-- event would wait for the row of a single one.
CREATE FUNCTION book(p_key text, p_account text, p_currency text, p_amount numeric, p_body bytea)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  known event;
BEGIN
  -- A known event is written as well, or this commit would not wait for the standby: after a crash,
  -- a server also shows events that no standby has.
  INSERT INTO event (key, account, currency, amount, body)
    VALUES (p_key, p_account, p_currency, p_amount, p_body)
    ON CONFLICT (key) DO UPDATE SET deliveries = event.deliveries + 1
    RETURNING * INTO known;
  IF (known.account, known.currency, known.amount) <> (p_account, p_currency, p_amount) THEN
    RETURN 'conflict';
  END IF;
  -- Such as one that an older version refused.
  UPDATE held SET done = 'settled' WHERE digest = sha256(p_body);
  IF known.deliveries > 1 THEN
    RETURN 'repeated';
  END IF;
  INSERT INTO balance VALUES (p_account, p_currency, p_amount)
    ON CONFLICT (account, currency) DO UPDATE SET amount = balance.amount + excluded.amount;
  RETURN 'settled';
END $$;
