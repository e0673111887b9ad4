import { All, applyDecorators, type Type } from '@nestjs/common';
import type { AnswerSpec } from '../../engine/operation/operation.js';
import type { FieldSpec, Shape } from '../../kernel/field/field.js';
import type { visitorBodies } from '../body.js';
import { type Door, Through } from '../entrance/door.js';
import { type RefusalCode } from '../http.refusals.js';

/** Declares an address below `/api/app/{projectId}`, for routing and for the visitor API document. */
export interface VisitorRoute {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path below the project, in the router's notation: `auth/social/:provider`. */
  readonly path: string;
  /** Stable id, which generated clients use as the method name. */
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
  /** JSON body. `any`: an object with any members. `bytes`: not JSON. If omitted, there is no body. */
  readonly body?: Shape | 'any' | 'bytes';
  readonly query?: Shape;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Response. `value`: a value that is not an object. `redirect`: the browser is redirected. `bytes`: a file.
   * `nothing`: no body. `socket`: a WebSocket.
   */
  readonly answers: AnswerSpec | { readonly value: FieldSpec } | 'redirect' | 'bytes' | 'nothing' | 'socket';
  readonly status?: 201 | 204;
  /** Refusals in addition to those of every route with this method. */
  readonly refuses: readonly RefusalCode[];
}

const routes: VisitorRoute[] = [];

/**
 * Method decorator: makes the method the route's handler behind the door, and adds the route to the visitor API
 * document.
 */
export function Visits(
  door: Type<Door>,
  { limit, ...route }: VisitorRoute & { readonly limit?: (typeof visitorBodies)[keyof typeof visitorBodies] },
): MethodDecorator {
  routes.push(route);
  return applyDecorators(All(route.path), Through(door, limit === undefined ? {} : { limit }));
}

export const visitorRoutes = (): readonly VisitorRoute[] => routes;
