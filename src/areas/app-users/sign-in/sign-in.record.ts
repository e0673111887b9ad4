import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';

/** Sign-ins of one user, a journal of which the latest are kept. Under the user's id. */
export type SiteSignInEvent = DomainEvent<'AppUserSignedIn', { readonly projectId: string }>;

export const siteSignInStream = (workspaceId: string, userId: string): string =>
  streamOf('siteSignIn', workspaceId, userId);
