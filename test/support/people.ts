import { expect } from '@jest/globals';
import { WorkspaceCreator } from '../../src/areas/workspace/workspace/create-workspace.api.js';
import { type EventFilter, EventStore } from '../../src/ports/event-store.port.js';
import type { TestApp } from './app.js';

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly key: string;
  readonly keyId: string;
}

let made = 0;

/** An answer that has to be a success. */
export async function done(app: TestApp, operation: string, body: object = {}, key?: string) {
  const reply = await app.call(operation, body, key);
  expect([operation, reply.status, reply.body?.detail]).toEqual([operation, 200, undefined]);
  return reply.body;
}

/** A new member and a key of theirs. */
export async function person(
  app: TestApp,
  role: 'admin' | 'editor' | 'viewer',
  permissions?: string[],
): Promise<Person> {
  const email = `${role}-${made++}@example.com`;
  const grants = permissions === undefined ? {} : { permissions };
  const { id } = await done(app, 'workspace/addMember', { name: `The ${role} ${made}`, email, role, ...grants });
  const { id: keyId, key } = await done(app, 'workspace/createApiKey', { name: 'own', kind: 'person', memberId: id });
  return { id, email, key, keyId };
}

/** The text of a new key, made by the Owner. */
export async function keyOf(app: TestApp, wanted: object): Promise<string> {
  return (await done(app, 'workspace/createApiKey', { name: 'made for a test', ...wanted })).key;
}

/** What the log holds of the workspace: others use the same service. */
export async function eventsOf(app: TestApp, filter: EventFilter & { readonly from?: number } = {}) {
  const { id: workspaceId } = await done(app, 'workspace/getWorkspace');
  return app.app.get(EventStore, { strict: false }).readAll({ limit: 100_000, ...filter, workspaceId });
}

/** A workspace of somebody else's on the same installation. */
export function otherWorkspace(app: TestApp) {
  return app.app
    .get(WorkspaceCreator, { strict: false })
    .found({ name: 'Other', ownerName: 'Olga', ownerEmail: 'olga@example.org' });
}
