import { html, marked } from '../pages/html.js';
import { formToken, type HtmlPage, type PageFrame } from '../pages/layout.js';
import type { PageSession } from '../pages/page-sessions.js';
import { areasOfClients, type OAuthScope } from './oauth-scopes.js';

export interface ConsentRequest {
  readonly client: string;
  readonly redirectUri: string;
  readonly query: string;
  readonly scope: OAuthScope;
}

export function consentPage(
  { root, workspace = '' }: PageFrame,
  session: PageSession,
  { client, redirectUri, query, scope }: ConsentRequest,
): HtmlPage {
  const { caller } = session;
  const { host } = new URL(redirectUri);
  const asked = scope.areas ?? areasOfClients();
  const mayWrite = !caller.readOnly;
  const name = client || 'An AI client without a name';
  const content = html`<div class="narrow">
<h1>Allow <bdi>${marked(name)}</bdi> access?</h1>
<p>The client at <strong>${host}</strong> wants to work in the workspace <bdi>${marked(workspace)}</bdi> on your behalf, with your rights. It chose its name itself: allow access only if you have just requested this.</p>
<form method="post" action="${root}/oauth/authorize" class="stack">
${formToken(session)}
<input type="hidden" name="request" value="${query}">
<fieldset><legend>What it may do</legend>
${mayWrite && html`<label><input type="radio" name="access" value="write"${!scope.readOnly && html` checked`}> View and change data</label>`}
<label><input type="radio" name="access" value="read"${(scope.readOnly || !mayWrite) && html` checked`}> View data only</label>
<label><input type="checkbox" name="neverDeletes" value="yes"${caller.neverDeletes && html` checked`}> Never delete, remove or revoke anything</label>
</fieldset>
<fieldset><legend>Where</legend>
${areasOfClients().map((area) => html`<label><input type="checkbox" name="area" value="${area}"${asked.includes(area) && html` checked`}> ${area}</label>`)}
</fieldset>
<p class="hint">The client can never approve anything, and can never see or set keys and secrets. Risky changes still wait for your approval. Its key is renewed every hour and is listed with the workspace's keys, where it can be revoked.</p>
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>
</div>`;
  return { title: 'Allow an AI client?', content, script: false };
}

/**
 * The link leads back to the client. The response to the consent form cannot be a redirect, because the content policy
 * (`form-action 'self'`) blocks redirects of a form to another host.
 */
export function leavingPage(to: string, allowed: boolean): HtmlPage {
  const { host } = new URL(to);
  const content = html`<div class="narrow">
<h1>${allowed ? 'Access allowed' : 'Access denied'}</h1>
<p>Go back to <a href="${to}" rel="noreferrer">${host}</a>, if your browser does not do so automatically.</p>
</div>`;
  return { title: allowed ? 'Access allowed' : 'Access denied', content, script: false };
}
