import { type Html, html } from '../../pages/html.js';

/** The buttons are hidden until the script of the page shows them, because they do not work without it. */
export const socialButtons = (providers: readonly string[], next: string): Html | undefined =>
  providers.length === 0
    ? undefined
    : html`<div id="social" class="stack" data-next="${next}" hidden>
${providers.map((name) => html`<button type="button" data-provider="${name}">Continue with ${shown(name)}</button>\n`)}</div>
<noscript><p class="hint">To sign in with ${providers.map(shown).join(' or ')}, allow scripts for this page.</p></noscript>`;

const shown = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

/**
 * Stores its state in the tab's session storage, in the format of the module that a site's own pages import. A sign-in
 * that began on either kind of page can therefore be completed on the other.
 */
export const socialScript = `'use strict';
(() => {
  const storageKey = 'countersign-social';
  const api = '/api/auth/social/';
  const sentences = {
    denied: 'You did not sign in with the provider.',
    away: 'The provider cannot be reached at present. Try again.',
    invalid: 'The provider did not confirm who you are. Try again.',
  };
  const buttons = document.getElementById('social');
  const say = (sentence) => {
    const note = document.getElementById('news');
    note.textContent = sentence;
    note.className = 'alert';
  };
  const coded = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const isOfSite = (path) => typeof path === 'string' && path.startsWith('/') && new URL(path, location.href).origin === location.origin;

  async function begin(provider) {
    const verifier = coded(crypto.getRandomValues(new Uint8Array(32)));
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
    sessionStorage.setItem(storageKey, JSON.stringify({ verifier, next: buttons.dataset.next }));
    location.assign(api + encodeURIComponent(provider) + '?challenge=' + coded(new Uint8Array(digest)));
  }

  async function finish(code) {
    history.replaceState(null, '', location.pathname + location.search);
    const { verifier, next } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}');
    sessionStorage.removeItem(storageKey);
    const answer = await fetch(api + 'exchange', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code, verifier }),
    });
    if (!answer.ok) return say((await answer.json()).detail);
    location.replace(isOfSite(next) ? next : '/');
  }

  const said = new URLSearchParams(location.hash.slice(1));
  if (said.has('sign-in-code')) finish(said.get('sign-in-code')).catch(() => say(sentences.away));
  else if (said.has('sign-in-error')) say(sentences[said.get('sign-in-error')] ?? sentences.invalid);
  if (buttons) {
    buttons.hidden = false;
    buttons.addEventListener('click', ({ target }) => {
      if (target.dataset.provider) begin(target.dataset.provider).catch(() => say(sentences.away));
    });
  }
})();
`;
