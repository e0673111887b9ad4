import { All, applyDecorators, type Type } from '@nestjs/common';
import type { AnswerSpec } from '../../engine/operation/operation.js';
import type { FieldSpec, Shape } from '../../kernel/field/field.js';
import type { visitorBodies } from '../body.js';
import { type Door, Through } from '../entrance/door.js';
import { type RefusalCode } from '../http.refusals.js';

export interface VisitorRoute {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path below `/api/app/{projectId}`, with parameters as in `auth/social/:provider`. */
  readonly path: string;
  /** Must not change, because generated clients use the id as the method name. */
  readonly id: string;
  readonly tag:
    | 'sign-in'
    | 'functions'
    | 'tables'
    | 'mail'
    | 'payments'
    | 'files'
    | 'proxy'
    | 'realtime'
    | 'traffic'
    | 'source-control';
  readonly summary: string;
  readonly description?: string;
  /** `any` is an object with any members, and `bytes` is a body that is not JSON. */
  readonly body?: Shape | 'any' | 'bytes';
  readonly query?: Shape;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `value` is JSON that is not an object, `redirect` a redirect of the browser, `bytes` a file, `nothing` an empty
   * response, and `socket` a WebSocket.
   */
  readonly answers: AnswerSpec | { readonly value: FieldSpec } | 'redirect' | 'bytes' | 'nothing' | 'socket';
  readonly status?: 201 | 204;
  /** In addition to the codes that every route with this method can return. */
  readonly refuses: readonly RefusalCode[];
}

const routes: VisitorRoute[] = [];

/** Adds the route to the visitor API's OpenAPI document. */
export function Visits(
  door: Type<Door>,
  { limit, ...route }: VisitorRoute & { readonly limit?: (typeof visitorBodies)[keyof typeof visitorBodies] },
): MethodDecorator {
  routes.push(route);
  return applyDecorators(All(route.path), Through(door, limit === undefined ? {} : { limit }));
}

export const visitorRoutes = (): readonly VisitorRoute[] => routes;
