-- A folder as format 7 left it: run r has ended, run s works, has a command and a large text.
CREATE TABLE commits (count INTEGER NOT NULL);
CREATE TABLE run (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL UNIQUE,
  tenant TEXT NOT NULL,
  conversation TEXT NOT NULL,
  app TEXT NOT NULL,
  title TEXT NOT NULL,
  loweredTitle TEXT NOT NULL,
  flow TEXT NOT NULL,
  idempotencyKey TEXT,
  status TEXT NOT NULL,
  approvals INTEGER NOT NULL,
  state TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  worker TEXT,
  leaseUntil INTEGER NOT NULL,
  wakeAt INTEGER,
  due INTEGER,
  createdAt INTEGER NOT NULL,
  changedAt INTEGER NOT NULL
, damaged INTEGER, sum TEXT, replaces TEXT, replacedBy TEXT, facts TEXT, moved INTEGER NOT NULL DEFAULT 1, newest INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX runByKey ON run (tenant, idempotencyKey) WHERE idempotencyKey IS NOT NULL;
CREATE INDEX runByDue ON run (flow, due) WHERE due IS NOT NULL;
CREATE INDEX runByConversation ON run (tenant, conversation);
CREATE INDEX runUnfinished ON run (tenant) WHERE state <> 'ended';
CREATE INDEX runWithApprovals ON run (tenant) WHERE approvals > 0;
CREATE TABLE chunk (
  run INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  at INTEGER NOT NULL,
  frames TEXT NOT NULL
, sum TEXT);
CREATE UNIQUE INDEX chunkByPlace ON chunk (run, last);
CREATE TABLE command (
  number INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  id TEXT NOT NULL,
  command TEXT NOT NULL,
  used INTEGER, sum TEXT,
  UNIQUE (run, id)
);
CREATE INDEX commandPending ON command (run) WHERE used IS NULL;
CREATE TABLE place (
  number INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  run TEXT NOT NULL,
  told INTEGER NOT NULL, sum TEXT,
  UNIQUE (run, name)
);
CREATE INDEX placeInLine ON place (tenant, name, number);
CREATE TABLE blob (
  number INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  blob TEXT NOT NULL,
  text TEXT NOT NULL,
  UNIQUE (tenant, blob)
);
CREATE TABLE blobUse (run TEXT NOT NULL, blob INTEGER NOT NULL, PRIMARY KEY (run, blob)) WITHOUT ROWID;
CREATE INDEX blobUseByBlob ON blobUse (blob);
CREATE TABLE head (
  run INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  at INTEGER NOT NULL,
  sum TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  again INTEGER NOT NULL
);
CREATE INDEX blobByName ON blob (blob);
CREATE TABLE held (tenant TEXT PRIMARY KEY, bytes INTEGER NOT NULL, again INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX runByTenant ON run (tenant);
CREATE TABLE shared (
  kind TEXT NOT NULL,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  version INTEGER NOT NULL,
  sum TEXT NOT NULL,
  PRIMARY KEY (kind, tenant, name)
) WITHOUT ROWID;
CREATE TABLE definition (
  tenant TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  state TEXT NOT NULL,
  revision INTEGER NOT NULL,
  hash TEXT NOT NULL,
  by TEXT NOT NULL,
  at INTEGER NOT NULL,
  sum TEXT NOT NULL,
  PRIMARY KEY (tenant, kind, name, version)
) WITHOUT ROWID;
CREATE INDEX runByMoved ON run (tenant, moved);
CREATE INDEX runByStatus ON run (tenant, status);
CREATE INDEX runByApp ON run (tenant, app);
CREATE INDEX runByTime ON run (tenant, createdAt);
CREATE INDEX runNewest ON run (tenant) WHERE newest = 1;
CREATE TABLE erased (moved INTEGER NOT NULL, number INTEGER NOT NULL, tenant TEXT NOT NULL, run TEXT NOT NULL);
CREATE INDEX erasedByMoved ON erased (tenant, moved, number);
CREATE TABLE term (owner TEXT NOT NULL, term TEXT NOT NULL, holder INTEGER NOT NULL, PRIMARY KEY (owner, term, holder))
  WITHOUT ROWID;
CREATE TABLE termsOf (holder INTEGER PRIMARY KEY, terms TEXT NOT NULL);
INSERT INTO commits VALUES (28);
INSERT INTO run VALUES (1, 'r', 't', 'c-r', 'app', 'Hello r', 'hello r', 'flow@1', NULL, 'completed', 0, 'ended', 1, NULL, 0, NULL, NULL, 1000, 1000, NULL, 'KsY5du0zOVe4QNpdISFwxmQW1wyAVmUqQsp/HCXyFp0=', NULL, NULL, NULL, 26, 1);
INSERT INTO run VALUES (2, 's', 't', 'c-s', 'app', 'Hello s', 'hello s', 'flow@1', NULL, 'running', 0, 'running', 1, 'w', 2000, NULL, 2000, 1000, 1000, NULL, 'fRPgyAw0KF/zXXpsc+LnDXWm3JA/KHF5zBp7+AVcEfo=', NULL, NULL, '{"labels":{},"agents":[],"tools":[],"asked":0,"startedAt":1000}', 2, 1);
INSERT INTO chunk VALUES (1, 1, 1, 1000, 'id: 1'||char(10)||'data: {"t":1000,"e":{"type":"run.started","tenant":"t","who":"me","app":"app","conversation":"c-r","input":{"text":"Hello r"},"flow":{"name":"flow","version":"1"},"limits":{},"labels":{}}}'||char(10)||''||char(10)||'', 'hvgPUGY8xqd0aectkMTWo3nZD977C6VXXf/mmDNgXAw=');
INSERT INTO chunk VALUES (2, 1, 1, 1000, 'id: 1'||char(10)||'data: {"t":1000,"e":{"type":"run.started","tenant":"t","who":"me","app":"app","conversation":"c-s","input":{"text":"Hello s"},"flow":{"name":"flow","version":"1"},"limits":{},"labels":{}}}'||char(10)||''||char(10)||'', 'k5dCsA5bhvt7lyLlikjwkeXXvXugfVbkofr54xQcPwI=');
INSERT INTO chunk VALUES (1, 2, 2, 1000, 'id: 2'||char(10)||'data: {"t":1000,"s":1,"x":"piece 2 of r"}'||char(10)||''||char(10)||'', 'JgD0EsAroTvdDycq2gGIHg3+ms5otgLjmym6XF25IX4=');
INSERT INTO chunk VALUES (2, 2, 2, 1000, 'id: 2'||char(10)||'data: {"t":1000,"s":1,"x":"piece 2 of s"}'||char(10)||''||char(10)||'', 'rTBYPJwiaZ4zM1WjrkUScUQ/s/P1d25OSjxHL7YJ+kU=');
INSERT INTO chunk VALUES (1, 3, 3, 1000, 'id: 3'||char(10)||'data: {"t":1000,"s":1,"x":"piece 3 of r"}'||char(10)||''||char(10)||'', 'CNOhaVuQ99E8IZpNfayP1EUqW7N1vbdG7Kvkf3+5dWE=');
INSERT INTO chunk VALUES (2, 3, 3, 1000, 'id: 3'||char(10)||'data: {"t":1000,"s":1,"x":"piece 3 of s"}'||char(10)||''||char(10)||'', '3BixrjX7QsQHaYb8iw8yUAnRCiZRmbHP6mqN0XsMnuE=');
INSERT INTO chunk VALUES (1, 4, 4, 1000, 'id: 4'||char(10)||'data: {"t":1000,"s":1,"x":"piece 4 of r"}'||char(10)||''||char(10)||'', 'Q3k8nG0bQ97vgTj4ARjuXujCi1IyDvjZnth3GnoXjOE=');
INSERT INTO chunk VALUES (2, 4, 4, 1000, 'id: 4'||char(10)||'data: {"t":1000,"s":1,"x":"piece 4 of s"}'||char(10)||''||char(10)||'', '/xupizAza/TbxVTufgIVFo6uWpaZ14/v3T0ovUSjS8Y=');
INSERT INTO chunk VALUES (1, 5, 5, 1000, 'id: 5'||char(10)||'data: {"t":1000,"s":1,"x":"piece 5 of r"}'||char(10)||''||char(10)||'', '0BRBZPRqW7bbC9lgv+pg6YlY1MafevH6wKwlePBVFV8=');
INSERT INTO chunk VALUES (2, 5, 5, 1000, 'id: 5'||char(10)||'data: {"t":1000,"s":1,"x":"piece 5 of s"}'||char(10)||''||char(10)||'', 'h9mSdj8UFFOx+z5N1ZrtEh9wqXoRMCo+9Vi+dMfvKy0=');
INSERT INTO chunk VALUES (1, 6, 6, 1000, 'id: 6'||char(10)||'data: {"t":1000,"s":1,"x":"piece 6 of r"}'||char(10)||''||char(10)||'', 'ybTLfXjdGvEMvll+Z2atSAzUkD5q8D4HEO3a5Y6uJX0=');
INSERT INTO chunk VALUES (1, 7, 7, 1000, 'id: 7'||char(10)||'data: {"t":1000,"s":1,"x":"piece 7 of r"}'||char(10)||''||char(10)||'', '8kD6TTbZirKkA1efSWxJi5j1B9agsgqB5pakNk3BILw=');
INSERT INTO chunk VALUES (1, 8, 8, 1000, 'id: 8'||char(10)||'data: {"t":1000,"s":1,"x":"piece 8 of r"}'||char(10)||''||char(10)||'', 'AhOY/wsOsFM+lcdy2YchGBV8LbunceIEKa0m1s6gsHQ=');
INSERT INTO chunk VALUES (1, 9, 9, 1000, 'id: 9'||char(10)||'data: {"t":1000,"s":1,"x":"piece 9 of r"}'||char(10)||''||char(10)||'', 'Qz4h4UaWDLU6oSpq5SHUqDSajaFELwKVp2kixqXQ6Q8=');
INSERT INTO chunk VALUES (1, 10, 10, 1000, 'id: 10'||char(10)||'data: {"t":1000,"s":1,"x":"piece 10 of r"}'||char(10)||''||char(10)||'', 'B8m/GwHlQg+DRdlcwjXs1/Afb+xn7E2atDN2G7lVf8o=');
INSERT INTO chunk VALUES (1, 11, 11, 1000, 'id: 11'||char(10)||'data: {"t":1000,"s":1,"x":"piece 11 of r"}'||char(10)||''||char(10)||'', 'im2Zde/lSMCLFXYjlheu8fgggooc1iAXNf+Et65oE5g=');
INSERT INTO chunk VALUES (1, 12, 12, 1000, 'id: 12'||char(10)||'data: {"t":1000,"s":1,"x":"piece 12 of r"}'||char(10)||''||char(10)||'', 'YgSyUqaHqW0sC61shlVfw55T8gMKpB+5sTyjKQrIHUY=');
INSERT INTO chunk VALUES (1, 13, 13, 1000, 'id: 13'||char(10)||'data: {"t":1000,"s":1,"x":"piece 13 of r"}'||char(10)||''||char(10)||'', 'cD9L60bXXMo98UmXWudwZU6wjnQiH+50B2j6iLKI40k=');
INSERT INTO chunk VALUES (1, 14, 14, 1000, 'id: 14'||char(10)||'data: {"t":1000,"s":1,"x":"piece 14 of r"}'||char(10)||''||char(10)||'', 'wlyXV4nDr3PBNWsb7O/jgR79YH3wF2Mlp+Ocj9+h+g8=');
INSERT INTO chunk VALUES (1, 15, 15, 1000, 'id: 15'||char(10)||'data: {"t":1000,"s":1,"x":"piece 15 of r"}'||char(10)||''||char(10)||'', 'aXpWsEAlFCudxX8+6sqth4lUqSH0QUXvkLtBRmJ/d6Y=');
INSERT INTO chunk VALUES (1, 16, 16, 1000, 'id: 16'||char(10)||'data: {"t":1000,"s":1,"x":"piece 16 of r"}'||char(10)||''||char(10)||'', 'Qim55O6YrZ/dr14QbauEb8/29i8xX0fv08mcPJv+eUQ=');
INSERT INTO chunk VALUES (1, 17, 17, 1000, 'id: 17'||char(10)||'data: {"t":1000,"s":1,"x":"piece 17 of r"}'||char(10)||''||char(10)||'', 's3eujvg1jWk4piZja81XlgSlTqGdNwPokD+QJK9rRSY=');
INSERT INTO chunk VALUES (1, 18, 18, 1000, 'id: 18'||char(10)||'data: {"t":1000,"s":1,"x":"piece 18 of r"}'||char(10)||''||char(10)||'', 'cby9WQ19K/fwYMKlSmBec+8KVjv/mR/cAczcemq2+yU=');
INSERT INTO chunk VALUES (1, 19, 19, 1000, 'id: 19'||char(10)||'data: {"t":1000,"s":1,"x":"piece 19 of r"}'||char(10)||''||char(10)||'', 'pG7iddQzMrpb2BGMve7ruluVQ/mZMN5ANDOnb/1t7+s=');
INSERT INTO chunk VALUES (1, 20, 20, 1000, 'id: 20'||char(10)||'data: {"t":1000,"s":1,"x":"piece 20 of r"}'||char(10)||''||char(10)||'', 'TavDpWOEYH48fyKlhMTflyipbK/xJoC049U0s4nCQvI=');
INSERT INTO chunk VALUES (1, 21, 21, 1000, 'id: 21'||char(10)||'data: {"t":1000,"e":{"type":"run.ended","outcome":"completed","answer":"done","usage":{}}}'||char(10)||''||char(10)||'', 'YpCvzWh4z0vwB5n4wrx0vUNb2wy3XJ9qf0tpbfvJyaY=');
INSERT INTO command VALUES (1, 2, 'c', '{"type":"pause","by":"me"}', NULL, '75Mvn+aaEHzse19MeFL1pKwxTI3ryxkSdsa5IxaJCvc=');
INSERT INTO blob VALUES (1, 't', 'f0e1510f1d4697741ef5b447f7ca34d0429e83f16e2ba9a79759c476d727a529', 'a large text');
INSERT INTO blobUse VALUES ('s', 1);
INSERT INTO head VALUES (1, 21, 1000, 'YpCvzWh4z0vwB5n4wrx0vUNb2wy3XJ9qf0tpbfvJyaY=', 1248, 1248);
INSERT INTO head VALUES (2, 5, 1000, 'h9mSdj8UFFOx+z5N1ZrtEh9wqXoRMCo+9Vi+dMfvKy0=', 392, 392);
INSERT INTO held VALUES ('t', 1678, 1678);
INSERT INTO term VALUES ('t', 'w hello', 2);
INSERT INTO term VALUES ('t', 'w s', 2);
INSERT INTO termsOf VALUES (2, 'w hello'||char(10)||'w s');
PRAGMA user_version = 7;
