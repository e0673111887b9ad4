import { Socket } from 'node:net';
import { reasonOf } from '../../../kernel/reason.js';
import type { ComponentSource, MadeAsset, PageSource } from '../../../ports/offloaded/site-builder.port.js';
import { INPUT_FD, OUTPUT_FD } from '../../../sandbox/descriptors.js';
import type { FromBuilder, ToBuilder } from './build-protocol.js';
import { mostFrameBytes } from './build-protocol.js';
import { encodeBytes, framesOf } from './byte-frames.js';

/** This process never executes code of the site. */
process.env['NODE_ENV'] = 'production';
const input = new Socket({ fd: INPUT_FD });
const output = new Socket({ fd: OUTPUT_FD });
// Ends with the parent, because no other process would read the result.
input.on('close', () => process.exit(1));
output.on('error', () => process.exit(1));

const { buildSite } = await import('./child/build-site.js');
const { buildFaultOf } = await import('./child/build-fault.js');

async function send(head: FromBuilder, body?: Uint8Array): Promise<void> {
  let isRoomy = true;
  for (const bytes of encodeBytes(head, body)) isRoomy = output.write(bytes);
  if (!isRoomy) await new Promise((resolve) => output.once('drain', resolve));
}

const archives = new Map<string, (bytes: Uint8Array) => void>();
const asked = new Map<string, Promise<Uint8Array>>();

function archive(integrity: string): Promise<Uint8Array> {
  const known = asked.get(integrity);
  if (known !== undefined) return known;
  const coming = new Promise<Uint8Array>((resolve) => archives.set(integrity, resolve));
  asked.set(integrity, coming);
  void send({ t: 'want', integrity });
  return coming;
}

async function build(about: Extract<ToBuilder, { t: 'build' }>): Promise<void> {
  try {
    const site = await buildSite({ ...about, pages, components, known }, { archive, say: send });
    await send({ t: 'done', site });
  } catch (error) {
    const fault = buildFaultOf(error);
    await send(fault === undefined ? { t: 'broken', why: reasonOf(error) } : { t: 'failed', ...fault });
  }
}

const pages: PageSource[] = [];
const components: ComponentSource[] = [];
let known: ReadonlyMap<string, MadeAsset> = new Map();
for await (const { head, body } of framesOf<ToBuilder>(input, mostFrameBytes * 4)) {
  if (head.t === 'page') pages.push(head.page);
  if (head.t === 'component') components.push(head.component);
  if (head.t === 'known') known = new Map(head.assets);
  if (head.t === 'build') void build(head);
  if (head.t === 'archive') archives.get(head.integrity)?.(body);
}
