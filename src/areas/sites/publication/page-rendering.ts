import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Sandbox, type SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import type { BuiltPage, SiteBuild } from '../../../ports/offloaded/site-builder.port.js';

/**
 * The HTML of a page, or a message to its author that explains why it was not rendered. `key` identifies the inputs:
 * the same key always gives the same HTML.
 */
export type Rendered = { readonly key: string } & ({ readonly html: string } | { readonly unrendered: string });

export interface Rendering {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly build: SiteBuild;
  /** HTML from earlier deployments, by `Rendered.key`. Pages whose key is known are not rendered again. */
  readonly known: ReadonlyMap<string, string>;
  /** Called after each page with the rendered share of all pages, from 0 to 1. */
  readonly done: (part: number) => void;
}

const timeoutMs = 2_000;
const atOnce = 4;
/**
 * After this many pages have exceeded their time or memory, the remaining pages are not rendered. Otherwise, 500 such
 * pages would delay the publish by minutes.
 */
const mostStopped = 20;
/** Line numbers in error messages are removed: they refer to the generated script, which the author never sees. */
const lineOfScript = / \(line \d+\)$/;

/**
 * Renders pages that everyone may read to HTML. This runs customers' code, so it runs in the sandbox for functions,
 * without `ctx`. If a page cannot be rendered, for example because it throws, uses too much memory or takes more than
 * two seconds, browsers render it.
 */
@Injectable()
export class PageRendering {
  constructor(private readonly sandbox: Sandbox) {}

  /** Renders the pages that have a server script. The result is keyed by page id. */
  async of(rendering: Rendering): Promise<ReadonlyMap<string, Rendered>> {
    const { build, done } = rendering;
    const open = build.pages.filter((page) => 'server' in page);
    const rendererKey = hash('sha256', build.renderer, 'hex');
    const rendered = new Map<string, Rendered>();
    let stopped = 0;
    const left = open.values();
    const worker = async () => {
      for (const page of left) {
        const one = await this.one(rendering, page, rendererKey, stopped >= mostStopped);
        if (one.isStopped) stopped += 1;
        rendered.set(page.id, one.rendered);
        done(rendered.size / open.length);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return rendered;
  }

  private async one(
    { workspaceId, projectId, build, known }: Rendering,
    { path, server = '' }: BuiltPage,
    rendererKey: string,
    isGivenUp: boolean,
  ): Promise<{ readonly rendered: Rendered; readonly isStopped?: boolean }> {
    const key = hash('sha256', `${rendererKey} ${path}\n${server}`, 'hex');
    const html = known.get(key);
    if (html !== undefined) return { rendered: { key, html } };
    if (isGivenUp)
      return {
        rendered: { key, unrendered: `Rendering was not attempted, because ${mostStopped} other pages took too long.` },
      };
    const outcome = await this.sandbox.run({
      isolateKey: `${workspaceId}/${projectId}/${key}`,
      program: {
        source: `(async function (params) {\n${build.renderer}\n${server}\nreturn await renderPage(params);\n})`,
      },
      params: { path, params: {} },
      context: {},
      capabilities: [],
      timeoutMs,
      captureLogs: false,
    });
    if (outcome.ok && typeof outcome.result === 'string') return { rendered: { key, html: outcome.result } };
    const unrendered = outcome.ok ? 'Rendering produced no HTML.' : whyNot(outcome);
    const isStopped = !outcome.ok && (outcome.reason === 'timeout' || outcome.reason === 'memory');
    return { rendered: { key, unrendered }, isStopped };
  }
}

/**
 * Explains a failure to the author of a page. The sandbox's own messages are not used, because they refer to functions.
 */
function whyNot({ reason, error }: Extract<SandboxOutcome, { readonly ok: false }>): string {
  switch (reason) {
    case 'timeout':
      return `Rendering takes longer than ${timeoutMs / 1_000} seconds.`;
    case 'memory':
      return 'Rendering needs more memory than is allowed.';
    case 'result':
      return 'The HTML is larger than 1 MB.';
    case 'lost':
      return 'The rendering process ended before it was finished.';
    case 'threw':
      return error.replace(lineOfScript, '');
  }
}
