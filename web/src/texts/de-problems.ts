import type { ProblemCode } from '../../../src/graph/problem.ts';

/** What is wrong with a graph and what to do about it, in German; `{names}` stand for the same as in `src/graph/problem.ts`. */
export const deProblems: Readonly<Record<ProblemCode, readonly [problem: string, fix: string]>> = {
  'many-problems': ['Es ist noch mehr falsch.', 'Beheben Sie zuerst diese: dann wird der Rest genannt.'],
  'large-graph': [
    'Der Graph ist zu groß ({what}); {most} sind das Meiste.',
    'Machen Sie aus Teilen eigene Abläufe.',
  ],
  schema: ['Das passt nicht: {message}', 'Berichtigen Sie das Feld, oder nehmen Sie es heraus.'],
  'no-start': ['Es gibt keinen Start.', 'Fügen Sie einen Start hinzu.'],
  'second-start': ['Es gibt einen zweiten Start.', 'Behalten Sie einen davon.'],
  'no-end': ['Es gibt kein Ende.', 'Fügen Sie ein Ende hinzu.'],
  'id-twice': ['«{id}» gibt es zweimal.', 'Geben Sie einem davon eine andere Kennung.'],
  'not-in-body': [
    'Im Inneren gibt es kein «{type}».',
    'Nehmen Sie es heraus: Der letzte Schritt darin gibt das Ergebnis.',
  ],
  'empty-body': ['Es ist nichts darin.', 'Fügen Sie einen Schritt hinzu.'],
  circle: ['Diese führen im Kreis: «{ids}».', 'Nehmen Sie eine Schleife für das, was sich wiederholen soll.'],
  'edge-to-nowhere': [
    'Hier gibt es keinen Schritt «{id}».',
    'Nehmen Sie die Kante heraus, oder nennen Sie einen anderen.',
  ],
  'no-port': ['«{id}» hat keinen Ausgang «{port}».', 'Seine Ausgänge: {ports}.'],
  'after-end': ['«{id}» hat keinen Ausgang «{port}».', 'Nach einem Ende kommt nichts.'],
  unreachable: ['Nichts führt dorthin.', 'Zeichnen Sie eine Kante dorthin, oder nehmen Sie ihn heraus.'],
  'unknown-name': ['{what}: «{name}» gibt es nicht.', 'Nennen Sie eines von: {known}.'],
  'loop-ending': [
    'Eine Schleife hat genau eines von «over», «until» und «times».',
    'Sagen Sie, was sie beendet.',
  ],
  'no-cap': ['Die Schleife hat keine Grenze.', 'Geben Sie «max» an: wie viele Runden höchstens.'],
  'nobody-merges': [
    'Es ist niemand genannt, der zusammenführt.',
    'Nennen Sie einen Agenten, oder wählen Sie ein anderes «how».',
  ],
  'wait-ending': ['Ein Warten hat entweder «for» oder «until».', 'Geben Sie eines davon an.'],
  'too-early': ['«nodes.{id}» wird benutzt, bevor es das geben kann.', 'Lassen Sie «{id}» davor kommen.'],
  'means-nothing': [
    '«{name}» bedeutet hier nichts.',
    'Es ist in einer Schleife, in «Für jedes» oder in einem Ersatz bekannt.',
  ],
  expression: ['Spalte {column}: {message}', 'Berichtigen Sie den Ausdruck.'],
  settings: ['{message}.', 'Berichtigen Sie die Einstellungen: Es sind die von {what}.'],
  'redo-not-before': ['«{id}» kommt nicht davor.', 'Nennen Sie einen Schritt, der zur Frage führt.'],
  'redo-elsewhere': [
    '«{id}» führt auch zu «{other}», das schon benutzt hätte, was er vorher gab.',
    'Lassen Sie alle seine Wege zur Frage führen, oder nehmen Sie ihn aus «redo» heraus.',
  ],
  'no-timezone': ['«{timezone}» ist keine Zeitzone.', 'Schreiben Sie eine wie Europe/Berlin, oder UTC.'],
  'no-cron': [
    '«{cron}» lässt sich nicht lesen: {message}',
    'Geben Sie Minute, Stunde, Tag, Monat und Wochentag an, wie «0 8 * * 1-5».',
  ],
  'never-due': ['«{cron}» kommt nie.', 'Nennen Sie einen Tag, den es gibt.'],
  'worst-case': [
    'Es kann zu {most} {what} kommen; {allowed} sind erlaubt.',
    'Senken Sie die Grenzen der Schleifen, oder heben Sie «limits» an.',
  ],
  'too-much': [
    '{asked} ist mehr als die {most}, die ein Ablauf hier benutzen darf.',
    'Senken Sie es, oder lassen Sie «limits» in der Konfiguration des Servers anheben.',
  ],
  'another-name': [
    'Der Graph heißt «{called}», der Ablauf «{name}».',
    'Schreiben Sie «{name}», oder speichern Sie ihn unter dem anderen Namen.',
  ],
  'starts-itself': [
    'Der Ablauf startet sich selbst.',
    'Nehmen Sie eine Schleife für das, was sich wiederholen soll.',
  ],
};
