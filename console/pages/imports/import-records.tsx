import {
  Button,
  Checkbox,
  Field,
  ProgressBar,
  Select,
  TableCell,
  TableRow,
  Text,
  makeStyles,
  tokens,
} from '@fluentui/react-components';
import { DocumentRegular } from '@fluentui/react-icons';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { problemOf } from '../../openapi/api-problem.ts';
import { sessionFetch } from '../../api/session-fetch.ts';
import { ProblemBar } from '../../parts/problem-bar.tsx';
import { WideTable } from '../../parts/wide-table.tsx';
import { fieldsOf, suggestedColumns, type Columns, type Kind } from '../../import-files/columns.ts';
import { fileFaultText, resemblanceText, rowFaultText } from '../../import-files/fault-text.ts';
import { tableIn, unreadableAs, type FileTable } from '../../import-files/file-table.ts';
import { planOf, type Plan, type RowFault } from '../../import-files/plan.ts';
import { existingRecords, sendPlan, type Call } from '../../import-files/send-plan.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';

const useStyles = makeStyles({
  columns: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(min(12rem, 100%), 1fr))',
    gap: tokens.spacingHorizontalM,
    margin: `${tokens.spacingVerticalM} 0`,
  },
  file: { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: tokens.spacingHorizontalM },
  faults: { color: tokens.colorPaletteRedForeground1 },
});

// The table and the list show the beginning; everything is imported.
const maxShownRows = 20;
const maxShownFaults = 50;

const call: Call = async (method, path, body) => {
  const request = new Request(`/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await sessionFetch(request);
  if (!response.ok) throw await problemOf(response);
  return response.json();
};

/** Contacts or projects from a file, with a preview before anything is written. */
export function ImportRecords({ kind }: { kind: Kind }) {
  const { imports: texts } = useTexts();
  const styles = useStyles();
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [fileName, setFileName] = useState('');
  const [table, setTable] = useState<FileTable>();
  const [columns, setColumns] = useState<Columns>({});
  const [unreadable, setUnreadable] = useState<ReturnType<typeof unreadableAs>>(null);
  const [samePerson, setSamePerson] = useState<ReadonlySet<number>>(new Set());
  const language = useLanguage();
  const [progress, setProgress] = useState({ sent: 0, total: 0 });
  const existing = useQuery({
    queryKey: ['records before an import', kind],
    queryFn: () => existingRecords(kind, call),
    enabled: table !== undefined,
    refetchOnWindowFocus: false,
  });
  const plan = useMemo(
    () => table && existing.data && planOf(kind, table, columns, existing.data, { samePerson }),
    [kind, table, columns, existing.data, samePerson],
  );
  const send = useMutation({
    mutationFn: (wanted: Plan) => sendPlan(kind, wanted, call, (sent, total) => setProgress({ sent, total })),
    onSettled: () => client.invalidateQueries(),
  });
  const choose = async (file: File | undefined): Promise<void> => {
    send.reset();
    setFileName(file?.name ?? '');
    const bytes = file && new Uint8Array(await file.arrayBuffer());
    const fault = bytes ? unreadableAs(bytes) : null;
    const chosen = bytes && fault === null ? tableIn(bytes) : undefined;
    setUnreadable(fault);
    setSamePerson(new Set());
    setTable(chosen);
    setColumns(chosen ? suggestedColumns(kind, chosen) : {});
    if (chosen) await client.invalidateQueries({ queryKey: ['records before an import', kind] });
  };
  const change = (field: string, value: string): void =>
    setColumns(({ [field]: _old, ...others }) =>
      value === '' ? others : { ...others, [field]: Number(value) },
    );
  return (
    <section aria-label={texts.title[kind]}>
      <h2>{texts.title[kind]}</h2>
      <Field
        hint={texts.fileHint}
        {...(unreadable && { validationMessage: fileFaultText(unreadable, language) })}
      >
        {(control) => (
          <div className={styles.file}>
            {/* The button of a file field is in the language of the browser. */}
            <Button
              aria-describedby={control['aria-describedby']}
              icon={<DocumentRegular />}
              onClick={() => input.current?.click()}
            >
              {texts.choose}
            </Button>
            <Text>{fileName}</Text>
            <input
              ref={input}
              type="file"
              hidden
              accept=".csv,.txt,.tsv"
              onChange={({ target }) => {
                void choose(target.files?.[0]);
                // Lets the user choose the same file again, after a correction.
                target.value = '';
              }}
            />
          </div>
        )}
      </Field>
      {table && !send.data && (
        <div className={styles.columns}>
          {fieldsOf(kind).map((field) => (
            <Field key={field} label={texts.fields[field as keyof typeof texts.fields]}>
              <Select
                value={String(columns[field] ?? '')}
                onChange={(_event, { value }) => change(field, value)}
              >
                <option value="">{texts.noColumn}</option>
                {[...new Set(table.header)].map((name) => (
                  <option key={name} value={table.header.indexOf(name)}>
                    {name}
                  </option>
                ))}
              </Select>
            </Field>
          ))}
        </div>
      )}
      <ProblemBar error={existing.error} onRetry={() => void existing.refetch()} />
      {plan && !send.data && (
        <Preview
          kind={kind}
          plan={plan}
          columns={columns}
          samePerson={samePerson}
          onSamePerson={(line, isSame) =>
            setSamePerson((lines) => new Set([...lines, line].filter((each) => isSame || each !== line)))
          }
        />
      )}
      {plan && !send.data && (
        <Button
          appearance="primary"
          disabled={
            send.isPending ||
            existing.isFetching ||
            !plan.records.some(({ outcome }) => outcome !== 'unchanged')
          }
          onClick={() => send.mutate(plan)}
        >
          {texts.start}
        </Button>
      )}
      {send.isPending && (
        <Field validationState="none" validationMessage={texts.progress(progress.sent, progress.total)}>
          <ProgressBar aria-label={texts.start} value={progress.sent} max={Math.max(1, progress.total)} />
        </Field>
      )}
      <ProblemBar error={send.error} />
      {send.data && (
        <div role="status">
          <Text>{texts.done(send.data.created, send.data.updated)}</Text>
          <Faults faults={send.data.faults} />
        </div>
      )}
    </section>
  );
}

interface PreviewProps {
  readonly kind: Kind;
  readonly plan: Plan;
  readonly columns: Columns;
  readonly samePerson: ReadonlySet<number>;
  readonly onSamePerson: (line: number, isSame: boolean) => void;
}

function Preview({ kind, plan, columns, samePerson, onSamePerson }: PreviewProps) {
  const { imports: texts } = useTexts();
  const language = useLanguage();
  const resembling = plan.records.filter((record) => record.resembling.length > 0);
  const count = (outcome: string): number =>
    plan.records.filter((record) => record.outcome === outcome).length;
  const fields = fieldsOf(kind).filter((field) => field in columns || field === 'houseNumber');
  return (
    <>
      <p role="status">
        {texts.counts(count('created'), count('updated'), count('unchanged'), plan.faults.length)}
      </p>
      <Faults faults={plan.faults} />
      {plan.warnings.length > 0 && <Notes label={texts.warnings} notes={plan.warnings} />}
      {resembling.length > 0 && (
        <fieldset>
          <legend>{texts.samePerson}</legend>
          {resembling.map((record) => (
            <div key={record.line}>
              <Checkbox
                label={resemblanceText(record, language)}
                checked={samePerson.has(record.line)}
                onChange={(_event, { checked }) => onSamePerson(record.line, checked === true)}
              />
            </div>
          ))}
        </fieldset>
      )}
      <WideTable
        label={texts.preview}
        columns={[
          texts.line,
          texts.outcome,
          ...fields.map((field) => texts.fields[field as keyof typeof texts.fields]),
        ]}
      >
        {plan.records.slice(0, maxShownRows).map(({ line, outcome, item }) => (
          <TableRow key={line}>
            <TableCell>{line}</TableCell>
            <TableCell>{texts.outcomes[outcome]}</TableCell>
            {fields.map((field) => (
              <TableCell key={field}>{item[field]}</TableCell>
            ))}
          </TableRow>
        ))}
      </WideTable>
    </>
  );
}

function Faults({ faults }: { faults: readonly RowFault[] }) {
  const { imports: texts } = useTexts();
  const styles = useStyles();
  if (faults.length === 0) return null;
  return <Notes label={texts.faults} notes={faults} className={styles.faults} />;
}

interface NotesProps {
  readonly label: string;
  readonly notes: readonly RowFault[];
  readonly className?: string;
}

function Notes({ label, notes, className }: NotesProps) {
  const { imports: texts } = useTexts();
  const language = useLanguage();
  return (
    <ul className={className} aria-label={label}>
      {notes.slice(0, maxShownFaults).map((note) => {
        const text = rowFaultText(note, language);
        return <li key={text}>{text}</li>;
      })}
      {notes.length > maxShownFaults && <li>{texts.moreFaults(notes.length - maxShownFaults)}</li>}
    </ul>
  );
}
