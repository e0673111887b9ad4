import { refuseInput } from '../../../../kernel/field/refuse-input.js';
import type { JsonObject } from '../../../../kernel/json/json.js';
import { differing } from '../../../../kernel/record/differing.js';
import { openPathsOf } from '../../page/open-paths.api.js';
import { refuse } from '../../sites.refusals.js';
import type { Project, ProjectEvent } from '../project.record.js';
import type { AuthSettings } from './auth-settings.record.js';
import { type CustomFieldChanges, changedCustomFields } from './custom-fields.js';
import { wrongUrlPath } from './settings-fields.api.js';

export interface ProjectAuthUpdate extends CustomFieldChanges {
  readonly authEnabled?: boolean;
  readonly authAllowSignup?: boolean;
  readonly authRequireEmail?: boolean;
  readonly authAllowSocial?: boolean;
  readonly authPaths?: JsonObject;
  readonly authSessionHours?: number | null;
  readonly authMailAccount?: string | null;
  readonly authVerifyTemplateId?: string | null;
  readonly authResetTemplateId?: string | null;
  readonly allowedOrigins?: readonly string[];
}

const mostPaths = 50;
const pathKey = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export function updateProjectAuth(
  project: Project,
  { authPaths, authCustomFields, removeCustomFields, allowedOrigins, ...sent }: ProjectAuthUpdate,
): readonly ProjectEvent[] {
  const changes = { authCustomFields, removeCustomFields } as CustomFieldChanges;
  const changed = differing<AuthSettings>(project, {
    ...sent,
    ...(allowedOrigins === undefined ? {} : { allowedOrigins: originsOf(allowedOrigins) }),
    authPaths: authPaths && mergedPaths(project.authPaths, authPaths),
    authCustomFields: changedCustomFields(project.id, project.authCustomFields, changes),
  });
  return changed === undefined ? [] : [{ type: 'ProjectAuthUpdated', data: changed }];
}

/**
 * Origins are converted to the form in which browsers send them.
 * @throws Refusal invalid-input
 */
function originsOf(sent: readonly string[]): readonly string[] {
  const wrong = sent.flatMap((origin, at) => {
    const url = URL.parse(origin);
    const isOrigin = url !== null && /^https?:$/.test(url.protocol) && /^https?:\/\/[^/?#@*\\\s]+\/?$/i.test(origin);
    return isOrigin
      ? []
      : [{ path: `allowedOrigins[${at}]`, message: 'must be an origin such as https://app.example.com' }];
  });
  if (wrong.length > 0) refuseInput(wrong);
  return [...new Set(sent.map((origin) => new URL(origin).origin))];
}

export const opensSignUp = (event: ProjectEvent, before: Project): boolean =>
  event.type === 'ProjectAuthUpdated' && event.data.authAllowSignup === true && !before.authAllowSignup;

/** While sign-in is off, everyone may read every page, so switching it on opens none. */
export function opensPages(event: ProjectEvent, before: Project): boolean {
  if (event.type !== 'ProjectAuthUpdated') return false;
  const { authEnabled, authPaths = {} } = event.data;
  if (authEnabled === false && before.authEnabled) return true;
  if (authEnabled === true && !before.authEnabled) return false;
  const open = openPathsOf(before.authPaths);
  return [...openPathsOf(authPaths)].some((path) => !open.has(path));
}

/** `null` removes a key. */
function mergedPaths(now: AuthSettings['authPaths'], sent: JsonObject): AuthSettings['authPaths'] {
  const merged = new Map(Object.entries(now));
  for (const [key, path] of Object.entries(sent)) {
    if (!pathKey.test(key)) {
      const shown = key.slice(0, 64);
      const wrong = 'must be a key such as login or afterLogin';
      refuse('auth-path-invalid', { key: shown, wrong }, { at: `authPaths.${shown}` });
    }
    const wrong = path === null ? undefined : wrongUrlPath(path);
    if (wrong !== undefined) refuse('auth-path-invalid', { key, wrong }, { at: `authPaths.${key}`, key });
    if (path === null) merged.delete(key);
    else merged.set(key, String(path));
  }
  if (merged.size > mostPaths) {
    refuse(
      'auth-path-invalid',
      { key: 'authPaths', wrong: `must have at most ${mostPaths} entries` },
      { at: 'authPaths' },
    );
  }
  return Object.fromEntries(merged);
}
