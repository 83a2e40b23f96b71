-- For SQLite 3.37 and later; see schema.sql. Amounts are text: SQLite has no exact decimals.

CREATE TABLE event (
  key text PRIMARY KEY NOT NULL,
  account text NOT NULL,
  currency text NOT NULL
    CHECK (currency NOT GLOB '*[^ -~]*' AND currency = upper(trim(currency)) AND currency <> ''),
  amount text NOT NULL,
  body blob NOT NULL
) STRICT;

CREATE TABLE balance (
  account text NOT NULL,
  currency text NOT NULL,
  amount text NOT NULL,
  PRIMARY KEY (account, currency)
) STRICT;

CREATE TABLE held (
  digest blob PRIMARY KEY NOT NULL,
  body blob NOT NULL,
  reason text NOT NULL,
  at text NOT NULL DEFAULT CURRENT_TIMESTAMP
) STRICT;
