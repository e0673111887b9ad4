import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Sandbox, type SandboxOutcome } from '../../../ports/offloaded/sandbox.port.js';
import type { BuiltPage, SiteBuild } from '../../../ports/offloaded/site-builder.port.js';

/**
 * HTML of a page, or a message to its author on why there is none. `key` identifies the inputs; equal inputs give equal
 * results.
 */
export type Rendered = { readonly key: string } & ({ readonly html: string } | { readonly unrendered: string });

export interface Rendering {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly build: SiteBuild;
  /** HTML that earlier deployments rendered, by key. */
  readonly known: ReadonlyMap<string, string>;
  /** Reports progress, from 0 to 1. */
  readonly done: (part: number) => void;
}

const timeoutMs = 2_000;
const atOnce = 4;
/**
 * If this many pages exceed their time or memory, no further pages are rendered: 500 of them would delay the publish by
 * minutes.
 */
const mostStopped = 20;
/** Matches a line number of the rendered script, which the author never sees. */
const lineOfScript = / \(line \d+\)$/;

/**
 * Renders open pages to HTML in the sandbox that runs functions, without `ctx`, because customers' code runs nowhere
 * else. A page that fails there or takes more than two seconds is rendered by the browser.
 */
@Injectable()
export class PageRendering {
  constructor(private readonly sandbox: Sandbox) {}

  /** Resolves to the rendered pages, by page id. */
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
      return { rendered: { key, unrendered: `It was not tried: ${mostStopped} other pages took too long.` } };
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
    const unrendered = outcome.ok ? 'Its rendering gave no HTML.' : whyNot(outcome);
    const isStopped = !outcome.ok && (outcome.reason === 'timeout' || outcome.reason === 'memory');
    return { rendered: { key, unrendered }, isStopped };
  }
}

/** Explains a failure in terms of a page, because its author did not write a function. */
function whyNot({ reason, error }: Extract<SandboxOutcome, { readonly ok: false }>): string {
  switch (reason) {
    case 'timeout':
      return `It takes longer than ${timeoutMs / 1_000} seconds to render.`;
    case 'memory':
      return 'It takes more memory to render than it may.';
    case 'result':
      return 'Its HTML is larger than 1 MB.';
    case 'lost':
      return 'The process that rendered it ended before it was done.';
    case 'threw':
      return error.replace(lineOfScript, '');
  }
}
