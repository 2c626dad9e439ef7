import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { paragraphsOf, partOf, wordFile } from '../support/word-file.ts';

const top = join(import.meta.dirname, '../..');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'check-template-'));
});

interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const outcomeOf = (program: string, args: readonly string[], env = process.env): Promise<Outcome> =>
  new Promise((done) => {
    const child = execFile(program, args, { cwd: folder, env }, (_error, stdout, stderr) =>
      done({ exitCode: child.exitCode, stdout, stderr }),
    );
  });

/** Runs the command as a user does: through npm, from the template's folder, which is not the repository's. */
const checkThroughNpm = (...args: string[]): Promise<Outcome> =>
  outcomeOf('npm', [
    '--prefix',
    top,
    'run',
    '--silent',
    'check-template',
    '--workspace',
    'tools',
    '--',
    ...args,
  ]);

/** Runs what npm runs, which doubles the processor time of a run. */
const checkTemplate = (...args: string[]): Promise<Outcome> =>
  outcomeOf(process.execPath, [join(top, 'tools/letter-template/check-template.ts'), ...args], {
    ...process.env,
    INIT_CWD: folder,
  });

const run = (text: string, format = ''): string =>
  `<w:r>${format}<w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inside: string): string => `<w:p w:rsidR="00AB12CD">${inside}</w:p>`;
const field = (code: string, result: string): string =>
  [
    '<w:fldChar w:fldCharType="begin"/>',
    `<w:instrText xml:space="preserve"> ${code} </w:instrText>`,
    '<w:fldChar w:fldCharType="separate"/>',
    `<w:t>${result}</w:t>`,
    '<w:fldChar w:fldCharType="end"/>',
  ]
    .map((piece) => `<w:r>${piece}</w:r>`)
    .join('');

// A letter as Word saves it: runs split by its spelling checker, a text box twice (as a shape and as its fallback), a
// content control, a table with the margins of its style, fields, header, and footer.
const textBox = (inside: string): string =>
  `<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wp:anchor><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>${inside}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>${inside}</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
const addressTable = `<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblLayout w:type="fixed"/></w:tblPr><w:tr w:rsidR="00AB12CD"><w:trPr><w:trHeight w:hRule="exact" w:val="2268"/></w:trPr><w:tc><w:tcPr><w:tcW w:w="4819" w:type="dxa"/></w:tcPr>${p(
  `${run('{{')}<w:proofErr w:type="spellStart"/>${run('company')}<w:proofErr w:type="spellEnd"/>${run('}}')}`,
)}${p(run('{{zip}} {{city}}'))}</w:tc></w:tr></w:tbl>`;
const fromWord = wordFile(
  [
    addressTable,
    p(textBox(p(run('Telefon {{userPhone}}')) + p(field('DATE \\@ "d. MMMM yyyy"', '1. Januar 2020')))),
    p(`<w:sdt><w:sdtPr/><w:sdtContent>${run('{{subject}}')}</w:sdtContent></w:sdt>`),
    p(run('{{con') + run('tent}}', '<w:rPr><w:lang w:val="de-DE"/></w:rPr>')),
  ].join(''),
  {
    'word/header1.xml': p(`${run('{{userCompany}}, Seite ')}${field('PAGE', '1')}`),
    'word/footer1.xml': p(run('{{userEmail}}')),
    'word/_rels/document.xml.rels':
      '<Relationships><Relationship Id="r1" Type="t" Target="mailto:%7B%7BuserEmail%7D%7D" TargetMode="External"/></Relationships>',
  },
);

describe('npm run check-template -w tools', () => {
  test('lists the contents of a Word template and writes two letters next to it', async () => {
    await writeFile(join(folder, 'Brief vorlage.dotx'), fromWord);
    const { exitCode, stdout, stderr } = await checkThroughNpm('Brief vorlage.dotx');
    expect([exitCode, stderr]).toEqual([0, '']);
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines).toEqual(
      expect.arrayContaining([
        'text: {{company}} {{zip}} {{city}} {{userPhone}} {{subject}} {{content}}',
        'header (word/header1.xml): {{userCompany}}',
        'footer (word/footer1.xml): {{userEmail}}',
        'addresses of links (word/_rels/document.xml.rels): {{userEmail}}',
        '{{title}} {{firstName}} {{lastName}} {{street}} {{houseNumber}} {{userFirstName}} {{userLastName}} {{userFax}} {{userStreet}} {{userPostalCode}} {{userCity}}',
      ]),
    );
    const today = new Intl.DateTimeFormat('de', { dateStyle: 'long', timeZone: 'Europe/Berlin' }).format();
    // Once in the text box and once in its fallback.
    const dates = lines.slice(lines.indexOf('Date fields, as letters show them') + 1);
    expect(dates.slice(0, 3)).toEqual([`text: ${today}`, `text: ${today}`, '']);

    const full = await readFile(join(folder, 'Brief vorlage-sample-full.docx'));
    expect(paragraphsOf(full, 'word/header1.xml')).toEqual(['Muster Bau GmbH, Seite  PAGE 1']);
    expect(paragraphsOf(full)[0]).toMatch(/^Ingenieurgemeinschaft/);
    expect(partOf(full, 'word/document.xml')).not.toMatch(/\{\{|DATE/);
    const minimal = await readFile(join(folder, 'Brief vorlage-sample-minimal.docx'));
    expect(paragraphsOf(minimal)).not.toContain('Telefon ');
    expect(paragraphsOf(minimal).slice(0, 2)).toEqual(['Bau GmbH', '24103 Kiel']);
    for (const name of ['full', 'minimal'])
      expect(stdout).toContain(join(folder, `Brief vorlage-sample-${name}.docx`));
  });

  test('reports every fault and placeholder of a template that the service rejects, exits with 1, and writes no letter', async () => {
    const faulty = wordFile(p(run('{{Company}} {{zip}}')) + p(field('IF {{city}} = "" "" ""', '')), {
      'word/header1.xml': p(run('{{userPhone')),
    });
    await writeFile(join(folder, 'faulty.docx'), faulty);
    const { exitCode, stdout } = await checkThroughNpm(join(folder, 'faulty.docx'));
    expect(exitCode).toBe(1);
    expect(stdout).toContain('text: {{Company}} {{zip}} {{city}}');
    expect(stdout).toContain('text: {{Company}} is not a placeholder: did you mean {{company}}?');
    expect(stdout).toContain('text: {{city}} cannot be filled in a field code');
    expect(stdout).toMatch(/header \(word\/header1\.xml\): The placeholder that begins with \{\{userPhone/);
    expect(stdout).toContain('The service rejects this template. No sample was written.');
    expect((await readdir(folder)).filter((name) => name.startsWith('faulty'))).toEqual(['faulty.docx']);
  });

  test('reports a missing {{content}} and a file that is not a Word document', async () => {
    await writeFile(join(folder, 'without.docx'), wordFile(p(run('{{subject}}'))));
    await writeFile(join(folder, 'text.docx'), 'Sehr geehrte Damen und Herren');
    const [without, text] = await Promise.all([checkTemplate('without.docx'), checkTemplate('text.docx')]);
    expect([without.exitCode, text.exitCode]).toEqual([1, 1]);
    expect(without.stdout).toContain('The text of the template has no placeholder {{content}}.');
    expect(text.stdout).toContain('The file is not a Word document (.docx)');
  });

  test('names what recipients would have besides the text', async () => {
    const notes = `<w:comment w:id="0" w:author="Tanja Textor">${p(run('{{content}}: bitte prüfen!'))}</w:comment>`;
    const body = p(run('{{content}}')) + p(field('MERGEFIELD "Name"', '«Name»'));
    await writeFile(join(folder, 'notes.docx'), wordFile(body, { 'word/comments.xml': notes }));
    const { exitCode, stdout } = await checkTemplate('notes.docx');
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      [
        'Besides the text, recipients would have',
        '  1 comment, by Tanja Textor: "{{content}}: bitte prüfen!"',
        '  the field MERGEFIELD "Name" prints nothing: no letter is a mail merge',
        '',
        'The service accepts',
      ].join('\n'),
    );
    expect(stdout).not.toContain('comments.xml');
  });

  test('exits with 2 if there is nothing to check', async () => {
    await mkdir(join(folder, 'briefe'));
    const [none, missing, directory] = await Promise.all([
      checkTemplate(),
      checkTemplate('nirgends.docx'),
      checkTemplate('briefe'),
    ]);
    expect([none.exitCode, missing.exitCode, directory.exitCode]).toEqual([2, 2, 2]);
    expect(none.stderr).toContain('Usage: npm run check-template -w tools FILE');
    expect(missing.stderr.trim()).toBe(`${join(folder, 'nirgends.docx')}: there is no such file.`);
    expect(directory.stderr.trim()).toBe(`${join(folder, 'briefe')}: this is a folder, not a file.`);
  });
});
