import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IssuedPass } from '../../areas/app-users/site-pass/site-passes.api.js';
import { jsonBody } from '../../engine/operation/json-body.js';
import { inputOf, mustBeStorable } from '../../engine/operation/validation.js';
import { PersonalData } from '../../engine/personal-data/personal-data.js';
import { ReadYourWrites } from '../../engine/read-models/read-your-writes.js';
import type { JsonObject } from '../../kernel/json/json.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { noBody } from '../body.js';
import { RequestHosts } from '../hosts/request-hosts.js';
import { refuse } from '../http.refusals.js';
import { SiteCookie } from '../site/site-cookie.js';

export type ReadRequest = FastifyRequest<{ Body: Buffer | undefined }>;

@Injectable()
export class VisitorAnswers {
  constructor(
    private readonly readYourWrites: ReadYourWrites,
    private readonly personal: PersonalData,
    private readonly hosts: RequestHosts,
    private readonly cookie: SiteCookie,
  ) {}

  /** @throws Refusal invalid-json, invalid-body, invalid-input */
  objectOf(request: ReadRequest): JsonObject {
    const body = bodyOf(request);
    mustBeStorable(body);
    return body;
  }

  /** @throws Refusal invalid-json, invalid-body, invalid-input */
  inputOf<Input extends object>(request: ReadRequest, shape: new () => Input): Input {
    return inputOf(shape, bodyOf(request));
  }

  /** If several processes share the stores, waits a limited time until the read models include what was recorded. */
  async send(reply: FastifyReply, workspaceId: string, work: () => Promise<object>): Promise<void> {
    await this.sendAtOnce(reply, workspaceId, async () => (await this.readYourWrites.waitForOwnWrites(work)).answer);
  }

  /**
   * Unlike `send`, sets no session cookie, because a field `session` in the result can come from a site's data.
   * @throws Refusal rows-answer-too-large
   */
  async sendUpTo(bytes: number, reply: FastifyReply, workspaceId: string, work: () => Promise<unknown>): Promise<void> {
    const { answer } = await this.readYourWrites.waitForOwnWrites(() => this.opening(workspaceId, work));
    const text = JSON.stringify(answer);
    if (Buffer.byteLength(text) > bytes) refuse('rows-answer-too-large', { megabytes: bytes / 1024 / 1024 });
    sendJson(reply, text);
  }

  /** Does not wait for read models, so the duration does not reveal whether anything was recorded. */
  async sendAtOnce(reply: FastifyReply, workspaceId: string, work: () => Promise<object>): Promise<void> {
    const answer = await this.opening(workspaceId, work);
    this.keepSession(reply, answer);
    sendJson(reply, JSON.stringify(answer));
  }

  private keepSession(reply: FastifyReply, { session }: { readonly session?: IssuedPass }): void {
    if (session !== undefined && this.isOnSite(reply)) reply.header('Set-Cookie', this.cookie.headerFor(session));
  }

  dropSession(reply: FastifyReply): void {
    if (this.isOnSite(reply)) reply.header('Set-Cookie', this.cookie.none());
  }

  private isOnSite({ request }: FastifyReply): boolean {
    return this.hosts.siteOf(request) !== undefined;
  }

  private async opening<Answer>(workspaceId: string, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof Refusal ? await this.personal.openedRefusal(workspaceId, error) : error;
    }
  }
}

function sendJson(reply: FastifyReply, text: string): void {
  reply.header('Cache-Control', 'no-store').type('application/json').send(text);
}

function bodyOf(request: ReadRequest): JsonObject {
  const body = request.body ?? noBody;
  return (body.length === 0 ? {} : jsonBody(body)) as JsonObject;
}
