import { All, applyDecorators, type Type } from '@nestjs/common';
import type { AnswerSpec } from '../../engine/operation/operation.js';
import type { FieldSpec, Shape } from '../../kernel/field/field.js';
import type { visitorBodies } from '../body.js';
import { type Door, Through } from '../entrance/door.js';
import { type RefusalCode } from '../http.refusals.js';

/** Everything that routing and the visitors' document have to know of one address below `/api/app/{projectId}`. */
export interface VisitorRoute {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** As the router writes it, below the project: `auth/social/:provider`. */
  readonly path: string;
  /** Stable: what generated clients call it. */
  readonly id: string;
  readonly tag: 'sign-in' | 'functions' | 'tables' | 'mail' | 'payments' | 'files' | 'proxy' | 'traffic';
  readonly summary: string;
  readonly description?: string;
  /** A JSON body. `any`: an object of any members. `bytes`: it is no JSON. Left out: none. */
  readonly body?: Shape | 'any' | 'bytes';
  readonly query?: Shape;
  readonly headers?: Readonly<Record<string, string>>;
  /** `value`: one that is no object. `redirect`: the browser is led on. `bytes`: a file. `nothing`: no body. */
  readonly answers: AnswerSpec | { readonly value: FieldSpec } | 'redirect' | 'bytes' | 'nothing';
  readonly status?: 201 | 204;
  /** Beside those of every route of its method. */
  readonly refuses: readonly RefusalCode[];
}

const routes: VisitorRoute[] = [];

/** Makes the method the route's handler, behind the door, and shows the route in the visitors' document. */
export function Visits(
  door: Type<Door>,
  { limit, ...route }: VisitorRoute & { readonly limit?: (typeof visitorBodies)[keyof typeof visitorBodies] },
): MethodDecorator {
  routes.push(route);
  return applyDecorators(All(route.path), Through(door, limit === undefined ? {} : { limit }));
}

export const visitorRoutes = (): readonly VisitorRoute[] => routes;
