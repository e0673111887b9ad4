import { odd } from './unsafe-unicode.js';

/**
 * The pages also work without this script. HTML comes only from the server, which has escaped it; texts from events are
 * inserted as plain text.
 */
export const pageScript = `'use strict';
(() => {
  const main = document.getElementById('main');
  const news = document.getElementById('news');
  const style = { dateStyle: 'medium', timeStyle: 'short' };
  const endings = {
    applied: 'was approved',
    rejected: 'was rejected',
    expired: 'has expired',
    replaced: 'was replaced by a newer one',
    failed: 'could not be applied',
  };

  function localise(root) {
    for (const time of root.querySelectorAll('time[datetime]')) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.getTime())) continue;
      time.title = time.dateTime;
      time.textContent = date.toLocaleString('en-GB', style);
    }
  }

  // The server groups events by UTC day. They are grouped again, because days begin at other times in the reader's time
  // zone.
  const dayStyle = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' };
  function regroup(days) {
    const entries = [...days.querySelectorAll('li')];
    const dayOf = (entry) => new Date(entry.querySelector('time').dateTime).toLocaleDateString('en-GB', dayStyle);
    days.replaceChildren();
    for (const [day, own] of Map.groupBy(entries, dayOf)) {
      const heading = document.createElement('h2');
      heading.textContent = day;
      const list = document.createElement('ol');
      list.className = 'events';
      list.append(...own);
      days.append(heading, list);
    }
  }

  // Converts a time field to the reader's time zone. The form still sends the time in UTC.
  function localiseField(field) {
    const [label] = field.labels;
    label.textContent = label.textContent.replace('(UTC)', '(your time)');
    const given = new Date(field.value + 'Z');
    const inZone = (date) => new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
    if (field.value !== '') field.value = inZone(given);
    field.form.addEventListener('formdata', ({ formData }) => {
      if (field.value !== '') formData.set(field.name, new Date(field.value).toISOString().slice(0, 19));
    });
  }

  // Shows invisible characters as their code points.
  const named = (character) => '⟦U+' + character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + '⟧';
  let silence;
  // Shows a message for some time, over the page, so that the content does not move. Lasting information is also in the
  // page itself.
  function say(text, forMs = 20000) {
    clearTimeout(silence);
    if (forMs < Infinity) silence = setTimeout(() => say('', Infinity), forMs);
    news.textContent = text.replace(${odd}, named);
  }

  // Ignores a second submit of the same form. Forms that only read may be sent again, because the response can be a
  // download, after which the page stays.
  function sendOnce(root) {
    for (const form of root.querySelectorAll('form[method="post"]')) {
      form.addEventListener('submit', (event) => {
        if (form.dataset.sent) event.preventDefault();
        form.dataset.sent = 'yes';
      });
    }
  }

  localise(document);
  for (const days of document.querySelectorAll('[data-days]')) regroup(days);
  for (const field of document.querySelectorAll('input[data-utc]')) localiseField(field);
  sendOnce(document);
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  if (!main.dataset.live) return;

  let source;
  let again;
  let signedOut = false;

  // Whether a form was submitted. Its response will replace the page, so nothing is updated.
  const isLeaving = () => document.querySelector('form[data-sent]') !== null;

  async function look() {
    const response = await fetch(main.dataset.live + location.search, { headers: { accept: 'text/html' } });
    if (response.redirected) {
      signedOut = true;
      close();
      say('You are no longer signed in. Reload the page to sign in again.', Infinity);
      return;
    }
    if (!response.ok) throw new Error(String(response.status));
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const next = page.getElementById('main');
    if (isLeaving()) return;
    if (main.querySelector('[data-list]')) takeLists(next);
    else takeCard(next);
    document.title = page.title;
  }

  // Unchanged items are not replaced, so that they keep the focus.
  function takeLists(next) {
    for (const list of next.querySelectorAll('[data-list]')) {
      const own = main.querySelector('[data-list="' + list.dataset.list + '"]');
      const shown = new Map([...own.children].map((item) => [item.dataset.id + item.dataset.state, item]));
      const items = [...list.children].map((item) => shown.get(item.dataset.id + item.dataset.state) ?? fresh(item));
      const focused = own.contains(document.activeElement) ? document.activeElement : null;
      own.replaceChildren(...items);
      if (focused && focused.isConnected) focused.focus({ preventScroll: true });
      else if (focused) main.focus({ preventScroll: true });
    }
  }

  function fresh(item) {
    const own = document.importNode(item, true);
    localise(own);
    sendOnce(own);
    own.classList.add('fresh');
    return own;
  }

  function takeCard(next) {
    const [own, other] = [main.querySelector('article'), next.querySelector('article')];
    if (!own || !other || own.dataset.state === other.dataset.state) return;
    const hadFocus = own.contains(document.activeElement);
    main.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
    localise(main);
    sendOnce(main);
    if (hadFocus) main.focus({ preventScroll: true });
  }

  function tell(type, card) {
    if (isLeaving()) return;
    const open = main.querySelector('article');
    if (open && open.dataset.id !== card.id) return;
    const ending = endings[type];
    if (!ending) return open ? undefined : say('New: ' + card.summary);
    const by = card.decidedBy ? ' by ' + card.decidedBy.name : '';
    say((open ? 'This change ' : card.summary + ' – this ') + ending + by + '.');
  }

  function listen(type) {
    source.addEventListener('pending-change.' + type, async (event) => {
      await look().catch(() => undefined);
      tell(type, JSON.parse(event.data));
    });
  }

  function open() {
    if (source || signedOut) return;
    clearTimeout(again);
    source = new EventSource(main.dataset.stream);
    // Loads the page once more when the stream opens, because events between the loading of the page and the opening of
    // the stream were not received.
    source.addEventListener('open', () => look().catch(() => undefined));
    source.addEventListener('error', () => {
      if (source && source.readyState === EventSource.CLOSED) retry();
    });
    for (const type of ['proposed', ...Object.keys(endings)]) listen(type);
  }

  function close() {
    if (source) source.close();
    source = undefined;
  }

  // Connects again after a pause. Called if the server refused the stream, because the person is signed out, or the
  // service is overloaded or restarting.
  function retry() {
    close();
    look().catch(() => undefined);
    again = setTimeout(open, 5000 + Math.random() * 5000);
  }

  // The stream is closed while the page is hidden, because browsers limit the number of connections to one host.
  function follow() {
    if (document.visibilityState === 'visible') return open();
    clearTimeout(again);
    close();
  }
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', close);
  follow();
})();
`;
