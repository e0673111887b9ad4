import type { DatabaseFile } from '../../sqlite/open-database.js';

/**
 * `log.head` and `streams.revision` count on their own, because the rows they could be read from may be pruned.
 *
 * An event id is looked up within its stream. An index over all ids would refuse one id in two streams as well, but
 * ids are random: in a log of half a million events it more than halved the appends, and the longer the log the more.
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
