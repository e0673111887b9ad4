import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';

/** Recorded in a journal of the user. Only the latest entries of the journal are retained. */
export type SiteSignInEvent = DomainEvent<'AppUserSignedIn', { readonly projectId: string }>;

export const siteSignInStream = (workspaceId: string, userId: string): string =>
  streamOf('siteSignIn', workspaceId, userId);
