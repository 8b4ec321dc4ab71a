import { field, text } from '../json.ts';
import { placeIn, routeIn } from '../place-words.ts';
import { asked, call, offers, resultsOf, say, type Reply, type Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { linkIn } from '../topics.ts';

const graphTools = [
  'route_between',
  'services_at_risk',
  'dependent_paths',
  'site_topology',
  'list_links',
] as const;
const telemetryTools = ['link_telemetry', 'site_telemetry', 'rank_links'] as const;

/** Questions about what is connected to what, answered by walking the graph. */
export const topology: Rule = {
  name: 'topology',
  example: (situation) =>
    offers(situation, 'dependent_paths') &&
    'what paths depend on LINK-SYD-MEL-FIBRE-01, which services are at risk, what is the route from Perth to Sydney, which links are down',
  reply(situation) {
    const question = asked(situation);
    const found = findings(situation, graphTools);
    if (found) return found;
    if (!graphTools.some((name) => offers(situation, name))) return undefined;
    const link = linkIn(question);
    const site = placeIn(question, situation);
    const route = routeIn(question, situation);
    if (route) return use(situation, 'route_between', route);
    if (/\b(?:risk|affected|impact\w*|services?)\b/i.test(question))
      return use(situation, 'services_at_risk', { ...(link && { link }), ...(site && !link && { site }) });
    if (link) return use(situation, 'dependent_paths', { link });
    if (site) return use(situation, 'site_topology', { site });
    const status = /\b(?:down|failed|broken|out)\b/i.test(question)
      ? 'down'
      : /\bdegraded\b/i.test(question)
        ? 'degraded'
        : undefined;
    return /\blinks?\b/i.test(question) ? use(situation, 'list_links', status ? { status } : {}) : undefined;
  },
};

const metrics: readonly (readonly [RegExp, string])[] = [
  [/\b(?:latency|delay|slow\w*)\b/i, 'latency_ms'],
  [/\b(?:optical|power|dbm)\b/i, 'optical_dbm'],
  [/\b(?:utili[sz]ation|busy|busiest|load|congest\w*)\b/i, 'utilisation_percent'],
  [/\b(?:loss|worst|errors?|risk)\b/i, 'loss_percent'],
];

/** Questions about how links do, answered by adding up measurements. */
export const telemetry: Rule = {
  name: 'telemetry',
  example: (situation) =>
    offers(situation, 'rank_links') &&
    'which links have the highest utilisation, or how does LINK-SYD-MEL-FIBRE-01 do',
  reply(situation) {
    const question = asked(situation);
    const found = findings(situation, telemetryTools);
    if (found) return found;
    if (!offers(situation, 'rank_links')) return undefined;
    const link = linkIn(question);
    if (link) return use(situation, 'link_telemetry', { link });
    const site = placeIn(question, situation);
    if (site) return use(situation, 'site_telemetry', { site });
    const metric = metrics.find(([pattern]) => pattern.test(question))?.[1] ?? 'utilisation_percent';
    return use(situation, 'rank_links', { metric });
  },
};

/** An engineer is sent out; whether that may be done is for others to decide. */
export const dispatch: Rule = {
  name: 'dispatch',
  example: (situation) =>
    offers(situation, 'dispatch_field_engineer') &&
    'dispatch a field engineer to LINK-SYD-MEL-FIBRE-01, urgent',
  reply(situation) {
    const found = findings(situation, ['dispatch_field_engineer']);
    if (found) return found;
    const question = asked(situation);
    const tool = offers(situation, 'dispatch_field_engineer');
    const destination = linkIn(situation.question) ?? placeIn(question, situation);
    if (!tool || !/\b(?:dispatch|send|engineer|crew|technician)\b/i.test(question)) return undefined;
    if (destination === undefined)
      return say('Tell me where to: a link such as LINK-SYD-MEL-FIBRE-01, or a site.', 'no place was named');
    const urgency =
      /\b(critical|high|medium|low)\b/i.exec(question)?.[1]?.toLowerCase() ??
      (/\burgent\w*\b/i.test(question) ? 'high' : 'medium');
    return call(
      tool,
      { destination, urgency, reason: question.slice(0, 300) },
      `send somebody to ${destination}`,
    );
  },
};

/** What the tools found out, in their own sentences. */
export function findings(situation: Situation, names: readonly string[]): Reply | undefined {
  const found = resultsOf(situation, ...names).toReversed();
  if (found.length === 0) return undefined;
  const sentences = found.map((result) =>
    result.isOk
      ? text(result.value, 'finding') || JSON.stringify(field(result.value, 'rows') ?? result.value)
      : result.error,
  );
  return say(sentences.join('\n\n'), 'the data is there');
}

function use(
  situation: Situation,
  name: string,
  given: { readonly [key: string]: string },
): Reply | undefined {
  const tool = offers(situation, name);
  return tool && call(tool, given, `${name} answers that`);
}
