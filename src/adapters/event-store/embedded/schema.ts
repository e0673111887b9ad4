import type { DatabaseFile } from '../../sqlite/open-database.js';

/**
 * `log.head` and `streams.revision` are stored, because pruning removes the rows from which they could be computed. An
 * event id is unique only within its stream: a unique index over all ids, which are random, more than halved the rate
 * of appends in a log of half a million events (measured).
 */
export const eventsDatabase: Omit<DatabaseFile, 'directory'> = {
  name: 'events.db',
  title: 'The event store',
  schemaVersion: 1,
  schema: `
    CREATE TABLE log (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      head INTEGER NOT NULL
    );
    INSERT INTO log (id, head) VALUES (1, -1);
    CREATE TABLE streams (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      category TEXT NOT NULL,
      workspace_id TEXT NOT NULL,
      revision INTEGER NOT NULL,
      truncate_before INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE events (
      position INTEGER PRIMARY KEY,
      stream_id INTEGER NOT NULL,
      revision INTEGER NOT NULL,
      event_id TEXT NOT NULL,
      type TEXT NOT NULL,
      data TEXT NOT NULL,
      metadata TEXT NOT NULL,
      UNIQUE (stream_id, revision),
      UNIQUE (stream_id, event_id)
    );
  `,
};
