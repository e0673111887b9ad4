import type { Project } from '../../../areas/sites/project/project.record.js';

/** The platform's pages of sign-in, by the keys of `authPaths`. */
export const stepPaths = {
  login: '/login',
  signup: '/signup',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  verifyEmail: '/verify-email',
} as const;

export type Step = keyof typeof stepPaths;
const steps = Object.keys(stepPaths) as readonly Step[];

/**
 * The step of sign-in that a path is for: by the platform's own path, or by that of `authPaths`. `path`: as it was sent,
 * without its query.
 */
export function stepAt(path: string, { authPaths }: Pick<Project, 'authPaths'>): Step | undefined {
  const isNamed = (step: Step) => {
    const named = authPaths[step];
    return named !== undefined && pathnameOf(named) === path;
  };
  return steps.find((step) => stepPaths[step] === path) ?? steps.find(isNamed);
}

/** Of a path of the site with or without a query, as browsers send it. */
export const pathnameOf = (path: string): string => new URL(path, 'http://site').pathname;
