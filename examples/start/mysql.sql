CREATE TABLE event ( -- never delete a row: the event may arrive again
  event_key varchar(100) PRIMARY KEY,
  account varbinary(400) NOT NULL, -- as text, 'a' would equal 'a '
  currency varchar(20) NOT NULL,
  amount decimal(65, 30) NOT NULL,
  deliveries bigint NOT NULL DEFAULT 1
) COLLATE utf8mb4_bin; -- in others, 'a' may equal 'A'
CREATE TABLE balance (
  account varbinary(400), currency varchar(20), amount decimal(65, 30) NOT NULL,
  PRIMARY KEY (account, currency)
) COLLATE utf8mb4_bin;
