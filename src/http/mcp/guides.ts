import type { Resource } from '@modelcontextprotocol/sdk/types.js';
import { Injectable } from '@nestjs/common';
import { failedCheck } from '../../engine/authorisation/authorisation.js';
import { findOperation } from '../../engine/operation/operation.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { refuse } from '../http.refusals.js';
import { PersonsCalls } from '../pages/persons-calls.js';
import { gettingStarted } from './getting-started.js';

export interface GuideText {
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

interface CodeGuide {
  readonly guide?: string;
  readonly topics?: readonly { readonly topic: string; readonly title: string }[];
}

const prefix = 'countersign://guide/';
const start = 'getting-started';
const mimeType = 'text/markdown';
const operation = 'site/getCodeGuide';

@Injectable()
export class Guides {
  constructor(private readonly calls: PersonsCalls) {}

  async list(caller: Caller): Promise<readonly Resource[]> {
    const first = resource(start, 'Getting started: functions, sites, and approvals by a person.');
    return [first, ...(await this.topics(caller)).map(({ topic, title }) => resource(`code/${topic}`, title))];
  }

  /** @throws Refusal mcp-resource-not-found, and the refusals of `getCodeGuide` */
  async read(caller: Caller, uri: string): Promise<GuideText> {
    const name = uri.startsWith(prefix) ? uri.slice(prefix.length) : '';
    if (name === start) return { uri, mimeType, text: gettingStarted };
    const topic = name.startsWith('code/') ? name.slice('code/'.length) : '';
    const known = (await this.topics(caller)).some((one) => one.topic === topic);
    if (!known) refuse('mcp-resource-not-found', { uri: uri.slice(0, 200) });
    const { body } = await this.calls.call<CodeGuide>(caller, operation, { topic });
    return { uri, mimeType, text: body.guide ?? '' };
  }

  private async topics(caller: Caller): Promise<NonNullable<CodeGuide['topics']>> {
    const declared = findOperation(operation);
    if (declared === undefined || failedCheck(declared, caller) !== undefined) return [];
    return (await this.calls.call<CodeGuide>(caller, operation)).body.topics ?? [];
  }
}

const resource = (name: string, title: string): Resource => ({
  uri: `${prefix}${name}`,
  name,
  title,
  description: title,
  mimeType,
});
