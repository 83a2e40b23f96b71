import type { NotificationIssue, NotificationType } from 'payment-notifications';
import {
  type Inspection,
  inspectBody,
  type QuirkCode,
  type Verdict,
} from 'payment-notifications/inspect';

/** What a merchant logs of a body. */
export function summarize(body: Uint8Array, as?: NotificationType): string[] {
  const inspection: Inspection = inspectBody(body, { as });
  const outcome: Verdict = inspection.outcome;
  const issues: readonly NotificationIssue[] = [...inspection.issues, ...inspection.warnings];
  const codes: QuirkCode[] = inspection.fields.flatMap(({ quirks }) =>
    quirks.map(({ code }) => code),
  );
  return [
    outcome,
    inspection.idempotencyKey ?? 'no key',
    ...issues.map(({ code }) => code),
    ...codes,
  ];
}
