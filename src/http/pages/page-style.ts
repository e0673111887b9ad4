export const pageStyle = `:root {
  color-scheme: light dark;
  --ground: #f6f7f9;
  --paper: #ffffff;
  --ink: #1b2430;
  --soft: #55606e;
  --line: #d6dbe1;
  --accent: #1f4f8f;
  --on-accent: #ffffff;
  --good: #17613a;
  --good-ground: #e3f4e9;
  --bad: #98241f;
  --bad-ground: #fcebe9;
  --heed: #7a4b00;
  --heed-ground: #fff3d9;
  --focus: #1f6fd6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161c;
    --paper: #1a2029;
    --ink: #e6eaf0;
    --soft: #a5b0bd;
    --line: #37404c;
    --accent: #8db8f2;
    --on-accent: #0d1b2e;
    --good: #86d9a5;
    --good-ground: #16321f;
    --bad: #f5a39d;
    --bad-ground: #3b1c1b;
    --heed: #f1c877;
    --heed-ground: #3a2d12;
    --focus: #8db8f2;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
a { color: var(--accent); text-underline-offset: .15em; }
.top, main { max-width: 56rem; margin: 0 auto; padding: 0 1rem; }
.top { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; justify-content: space-between; padding-block: .9rem; }
.brand { display: flex; gap: .6rem; align-items: center; color: inherit; font-weight: 650; text-decoration: none; }
.who { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; font-size: .925rem; }
.where { color: var(--soft); }
main { padding-bottom: 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1rem; line-height: 1.4; margin: 0 0 .4rem; }
h4 { margin: 1rem 0 .4rem; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .4rem .8rem; z-index: 1; }
.quiet { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.hint, .meta, .count, .none, .meaning, .where { color: var(--soft); }
.hint, .meta, .count { font-size: .925rem; margin: .25rem 0; }
.narrow { max-width: 28rem; margin: 0 auto; padding-top: 1.5rem; }
.news { position: fixed; z-index: 1; top: .5rem; left: 50%; transform: translateX(-50%); width: max-content; max-width: calc(100vw - 2rem); margin: 0; padding: .6rem 1.1rem; border-radius: 8px; background: var(--ink); color: var(--paper); box-shadow: 0 4px 16px rgb(0 0 0 / .3); pointer-events: none; }
.news:empty { padding: 0; box-shadow: none; }
.alert { background: var(--bad-ground); color: var(--bad); border-left: 4px solid; border-radius: 4px; padding: .7rem 1rem; }
.cards { list-style: none; margin: 0; padding: 0; display: grid; gap: .75rem; }
.card, .change, .decision, .facts { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; }
.card.fresh { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.card h2 { margin: 0; }
.card h3, .card h4 { font-weight: 600; }
.card h4 { margin: 0 0 .4rem; line-height: 1.4; }
.card.high { border-left: 4px solid var(--bad); }
.group { margin-top: .75rem; }
.group h3 { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
.tabs { display: flex; gap: .5rem; margin: 0 0 1rem; }
.tabs a { padding: .5rem .9rem; border: 1px solid var(--line); border-radius: 8px; }
.tabs [aria-current] { background: var(--paper); border-color: var(--ink); color: var(--ink); text-decoration: none; font-weight: 600; }
.risks { margin: .25rem 0; display: flex; flex-wrap: wrap; gap: .4rem; }
.risk { border: 1px solid; border-radius: 6px; padding: 0 .5rem; font-size: .875rem; font-weight: 650; background: var(--bad-ground); color: var(--bad); }
.risk.deletion { background: var(--heed-ground); color: var(--heed); }
.means ul, .plain-list { margin: 0; padding-left: 1.2rem; }
.means li { overflow-wrap: anywhere; margin: .25rem 0; }
.means .lacks { margin-top: .75rem; background: var(--heed-ground); color: var(--heed); border-left: 4px solid; border-radius: 4px; padding: .6rem 1rem .6rem 2rem; }
.code { max-height: 26rem; overflow: auto; tab-size: 4; background: var(--paper); overflow-wrap: anywhere; }
.said { white-space: pre-line; font-style: italic; overflow-wrap: anywhere; }
.card .meta { margin-bottom: 0; }
.hint + .cards { margin-top: .75rem; }
.cards:not(:empty) + .empty { display: none; }
.empty { color: var(--soft); border: 1px dashed var(--line); border-radius: 10px; padding: 1.4rem; text-align: center; margin: 0; }
.meta span + span::before { content: '· '; }
.notice { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; align-items: center; justify-content: space-between; }
.notice > div { flex: 1 1 18rem; }
.back { margin: .5rem 0 0; font-size: .925rem; }
.state { border-radius: 8px; padding: .6rem 1rem; background: var(--heed-ground); color: var(--heed); }
.state.applied { background: var(--good-ground); color: var(--good); }
.state.rejected, .state.failed { background: var(--bad-ground); color: var(--bad); }
.state.expired, .state.replaced { background: var(--paper); color: var(--soft); border: 1px solid var(--line); }
.state q { font-style: italic; white-space: pre-line; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .9rem 1.5rem; margin: 0; }
dt { color: var(--soft); font-size: .875rem; }
dd { margin: 0; }
.facts dd { min-width: 0; overflow-wrap: anywhere; }
.facts code { font-size: .8rem; color: var(--soft); }
.change + .change { margin-top: 1rem; }
.path { font-weight: 400; font-size: .85rem; color: var(--soft); }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; font-size: .875em; }
pre { white-space: pre-wrap; margin: 0; padding: .7rem; border: 1px solid var(--line); border-radius: 6px; }
.pair, .states { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .75rem; margin: 0; }
.pair > div, .states > div { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem; }
.pair .before { background: var(--bad-ground); border-color: transparent; }
.pair .after { background: var(--good-ground); border-color: transparent; }
.pair dt { color: inherit; }
.pair .before, .values .removed { color: var(--bad); }
.pair .after, .values .added { color: var(--good); }
.pair code, .pair .none, .pair .meaning, .values .added .meaning, .values .removed .meaning { color: var(--ink); }
.values { list-style: none; margin: 0; padding: 0; display: grid; gap: .4rem; }
.values li { border: 1px solid var(--line); border-radius: 8px; padding: .4rem .8rem; }
.values .added { background: var(--good-ground); border-color: transparent; }
.values .removed { background: var(--bad-ground); border-color: transparent; }
.values .added code, .values .removed code { color: var(--ink); }
ins, .values ins { text-decoration: none; }
.values del { text-decoration: none; }
.values del code { text-decoration: line-through; }
.sign { font-weight: 650; }
.count ins { color: var(--good); }
.count del { color: var(--bad); text-decoration: none; }
.diff { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: .9rem; border: 1px solid var(--line); direction: ltr; }
.diff td { padding: .05rem .4rem; vertical-align: top; line-height: 1.4rem; }
.diff .number { width: 3.2rem; }
.diff .sign { width: 1.6rem; }
.diff td:nth-child(1), .diff td:nth-child(2) { text-align: right; color: var(--soft); font-family: ui-monospace, monospace; font-size: .75rem; user-select: none; }
.diff td:nth-child(3) { text-align: center; font-weight: 700; user-select: none; }
.diff code { display: block; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; min-height: 1.4rem; tab-size: 4; }
.diff .added td { background: var(--good-ground); }
.diff .removed td { background: var(--bad-ground); }
.diff .added td:nth-child(3) { color: var(--good); }
.diff .removed td:nth-child(3) { color: var(--bad); }
.diff .left-out td { text-align: center; color: var(--soft); font: inherit; font-size: .8rem; border-block: 1px dashed var(--line); padding: .2rem; }
.odd { background: var(--heed-ground); color: var(--heed); border: 1px solid; border-radius: 3px; padding: 0 .25em; margin: 0 .1em; font: 700 .72em ui-monospace, monospace; white-space: nowrap; unicode-bidi: isolate; }
.decision { margin-top: 2.25rem; }
.decision h2 { margin-top: 0; }
.choices { display: grid; grid-template-columns: auto 1fr; gap: 1.25rem 2rem; align-items: start; margin-top: 1rem; }
.stack { display: grid; gap: .5rem; justify-items: start; }
.stack input, .stack textarea { width: 100%; }
label { font-weight: 600; }
input, textarea, button { font: inherit; color: inherit; }
input, textarea { background: var(--ground); border: 1px solid var(--soft); border-radius: 8px; padding: .6rem .75rem; }
textarea { resize: vertical; }
button { background: var(--paper); border: 1px solid var(--soft); border-radius: 8px; padding: .6rem 1.2rem; min-height: 2.75rem; cursor: pointer; }
button:hover { border-color: var(--ink); }
.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
.primary:hover { filter: brightness(1.1); }
.plain { border-color: transparent; background: none; padding: .25rem .4rem; color: var(--accent); text-decoration: underline; text-underline-offset: .15em; }
form[data-sent] button { opacity: .6; cursor: progress; }
select { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--soft); border-radius: 8px; padding: .6rem .75rem; width: 100%; min-height: 2.75rem; }
.navigation { display: flex; gap: 1rem; }
.filters { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .75rem 1rem; align-items: end; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; }
.filters input { width: 100%; min-width: 0; }
.send { display: flex; gap: 1rem; align-items: center; }
.events { list-style: none; margin: 0; padding: 0; border-left: 2px solid var(--line); display: grid; gap: .25rem; }
.event { padding: .5rem 0 .5rem 1rem; position: relative; }
.event::before { content: ''; position: absolute; left: -6px; top: 1rem; width: 10px; height: 10px; border-radius: 50%; background: var(--accent); }
.event h3 { margin: 0; font-weight: 600; }
.pick { margin: .25rem 0 0; display: flex; gap: 1.25rem; }
.choice { font-weight: 400; padding: .35rem 0; }
.slider { display: grid; grid-template-columns: 1fr auto; gap: .25rem 1rem; align-items: center; margin-bottom: .75rem; }
.slider label { grid-column: 1 / -1; }
.slider input[type=range] { width: 100%; min-height: 2.75rem; padding: 0; accent-color: var(--accent); }
.graph, .graph ul { list-style: none; margin: 0; padding-left: 0; }
.graph ul { margin-left: .6rem; padding-left: 1.1rem; border-left: 2px solid var(--line); }
.graph li { padding: .25rem 0; }
.graph [aria-current] { background: var(--heed-ground); color: var(--heed); padding: .1rem .5rem; border-radius: 6px; }
.status { border: 1px solid var(--line); border-radius: 6px; padding: 0 .4rem; font-size: .875rem; }
.undo { margin: 1.25rem 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; padding: .4rem 0; }
@media (max-width: 40rem) {
  h1 { font-size: 1.35rem; }
  .choices { grid-template-columns: 1fr; }
  .choices .primary, .stack button { width: 100%; }
  .diff .number { width: 2rem; }
  .diff .sign { width: 1.1rem; }
  .diff td:nth-child(-n+2) { padding-inline: .15rem; }
  .diff td:nth-child(3) { padding-inline: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .card.fresh { animation: arrive .6s ease-out; }
  @keyframes arrive { from { background: var(--heed-ground); } }
}
@media (forced-colors: active) {
  .diff .added td, .diff .removed td, .values .added, .values .removed { border: 1px solid; }
}
`;
