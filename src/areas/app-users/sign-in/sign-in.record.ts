import type { DomainEvent } from '../../../kernel/event/event.js';
import { streamOf } from '../../../kernel/event/stream-name.js';

/** Sign-ins of one user, in a journal under the user's id that retains the latest ones. */
export type SiteSignInEvent = DomainEvent<'AppUserSignedIn', { readonly projectId: string }>;

export const siteSignInStream = (workspaceId: string, userId: string): string =>
  streamOf('siteSignIn', workspaceId, userId);
