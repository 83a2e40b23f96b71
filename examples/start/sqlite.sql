-- SQLite rounds numbers, so amounts are text.
CREATE TABLE event ( -- never delete a row: the event may arrive again
  key text PRIMARY KEY, account text NOT NULL, currency text NOT NULL,
  amount text NOT NULL CHECK (amount GLOB '*[0-9]*' AND amount NOT GLOB '*[^0-9.-]*')
);
CREATE TABLE balance (
  account text, currency text, amount text NOT NULL, PRIMARY KEY (account, currency)
);
