import type { ProblemCode } from '../../../src/graph/problem.ts';
import type { WordedProblem } from './problem-words.ts';

/** What is wrong with a graph, in German. Values are what the sentences name, in their order. */
export const deProblems: Readonly<Record<ProblemCode, (...values: readonly string[]) => WordedProblem>> = {
  circle: (ids) => ({
    problem: `Diese führen im Kreis: «${ids}».`,
    fix: 'Nehmen Sie eine Schleife für das, was sich wiederholen soll.',
  }),
  'edge-to-nowhere': (id) => ({
    problem: `Hier gibt es keinen Schritt «${id}».`,
    fix: 'Nehmen Sie die Kante heraus, oder nennen Sie einen anderen.',
  }),
  empty: () => ({ problem: 'Es ist nichts darin.', fix: 'Fügen Sie einen Schritt hinzu.' }),
  expression: (column, why) => ({
    problem: `Spalte ${column}: ${why}`,
    fix: 'Berichtigen Sie den Ausdruck.',
  }),
  'id-twice': (id) => ({
    problem: `«${id}» gibt es zweimal.`,
    fix: 'Geben Sie einem davon eine andere Kennung.',
  }),
  'in-a-body': (type) => ({
    problem: `Im Inneren gibt es kein «${type}».`,
    fix: 'Nehmen Sie es heraus: Der letzte Schritt darin gibt das Ergebnis.',
  }),
  'loop-end': () => ({
    problem: 'Eine Schleife hat genau eines von «over», «until» und «times».',
    fix: 'Sagen Sie, was sie beendet.',
  }),
  'means-nothing': (name) => ({
    problem: `«${name}» bedeutet hier nichts.`,
    fix: 'Es ist in einer Schleife, in «Für jedes» oder in einem Ersatz bekannt.',
  }),
  misfit: (why) => ({
    problem: `Das passt nicht: ${why}`,
    fix: 'Berichtigen Sie das Feld, oder nehmen Sie es heraus.',
  }),
  never: (cron) => ({ problem: `«${cron}» kommt nie.`, fix: 'Nennen Sie einen Tag, den es gibt.' }),
  'no-cap': () => ({
    problem: 'Die Schleife hat keine Grenze.',
    fix: 'Geben Sie «max» an: wie viele Runden höchstens.',
  }),
  'no-cron': (cron) => ({
    problem: `«${cron}» lässt sich nicht lesen.`,
    fix: 'Geben Sie Minute, Stunde, Tag, Monat und Wochentag an, wie «0 8 * * 1-5».',
  }),
  'no-end': () => ({ problem: 'Es gibt kein Ende.', fix: 'Fügen Sie ein Ende hinzu.' }),
  'no-merger': () => ({
    problem: 'Es ist niemand genannt, der zusammenführt.',
    fix: 'Nennen Sie einen Agenten, oder wählen Sie ein anderes «how».',
  }),
  'no-port': (id, port, ports = '') => ({
    problem: `«${id}» hat keinen Ausgang «${port}».`,
    fix: ports === '' ? 'Nach einem Ende kommt nichts.' : `Seine Ausgänge: ${ports}.`,
  }),
  'no-start': () => ({ problem: 'Es gibt keinen Start.', fix: 'Fügen Sie einen Start hinzu.' }),
  'no-zone': (zone) => ({
    problem: `«${zone}» ist keine Zeitzone.`,
    fix: 'Schreiben Sie eine wie Europe/Berlin, oder UTC.',
  }),
  'redo-elsewhere': (id, other) => ({
    problem: `«${id}» führt auch zu «${other}», das schon benutzt hätte, was er vorher gab.`,
    fix: 'Lassen Sie alle seine Wege zur Frage führen, oder nehmen Sie ihn aus «redo» heraus.',
  }),
  'redo-not-before': (id) => ({
    problem: `«${id}» kommt nicht davor.`,
    fix: 'Nennen Sie einen Schritt, der zur Frage führt.',
  }),
  'second-start': () => ({ problem: 'Es gibt einen zweiten Start.', fix: 'Behalten Sie einen davon.' }),
  'too-early': (id) => ({
    problem: `«nodes.${id}» wird benutzt, bevor es das geben kann.`,
    fix: `Lassen Sie «${id}» davor kommen.`,
  }),
  'too-large': (much, most) => ({
    problem: `Der Graph ist zu groß: ${much}; ${most} sind das Meiste.`,
    fix: 'Machen Sie aus Teilen eigene Abläufe.',
  }),
  'unknown-name': (what, name, known) => ({
    problem: `${what}: «${name}» gibt es nicht.`,
    fix: `Nennen Sie eines von: ${known}.`,
  }),
  unreachable: () => ({
    problem: 'Nichts führt dorthin.',
    fix: 'Zeichnen Sie eine Kante dorthin, oder nehmen Sie ihn heraus.',
  }),
  'wait-end': () => ({
    problem: 'Ein Warten hat entweder «for» oder «until».',
    fix: 'Geben Sie eines davon an.',
  }),
  'worst-case': (much, allowed) => ({
    problem: `Es kann zu ${much} kommen; ${allowed} sind erlaubt.`,
    fix: 'Senken Sie die Grenzen der Schleifen, oder heben Sie «limits» an.',
  }),
};
