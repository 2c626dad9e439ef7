import { Checkbox, Select, makeStyles, tokens } from '@fluentui/react-components';
import { SearchField } from '../../parts/search-field.tsx';
import { exactTime } from '../../parts/moments.ts';
import { TimeField } from '../../parts/time-field.tsx';
import { useMay } from '../../session/use-session.ts';
import { useLanguage, useTexts } from '../../texts/use-texts.ts';
import { isOfEnded, statuses, type RequestFilter, type Status } from './use-request-filter.ts';

const useStyles = makeStyles({
  bar: {
    display: 'flex',
    flexWrap: 'wrap',
    gap: tokens.spacingHorizontalM,
    marginBottom: tokens.spacingVerticalM,
  },
  search: { flexGrow: 1, maxWidth: '30rem', minWidth: '12rem' },
  path: { maxWidth: '14rem' },
});

export function FilterBar({
  filter,
  onChange,
}: {
  filter: RequestFilter;
  onChange: (change: Partial<RequestFilter>) => void;
}) {
  const { folderRequests: texts } = useTexts();
  const styles = useStyles();
  const language = useLanguage();
  const isAdministrator = useMay('Administrator');
  return (
    <div className={styles.bar} role="search" aria-label={texts.filter}>
      <Select
        aria-label={texts.state}
        value={filter.status ?? ''}
        onChange={(_event, { value }) => onChange({ status: (value || undefined) as Status | undefined })}
      >
        <option value="">{texts.all}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {texts.status[status]}
          </option>
        ))}
      </Select>
      <SearchField
        className={styles.search}
        label={texts.search}
        placeholder={texts.searchHint}
        value={filter.search}
        onChange={(search) => onChange({ search })}
      />
      <SearchField
        className={styles.path}
        label={texts.pathPart}
        value={filter.path}
        onChange={(path) => onChange({ path })}
      />
      {isAdministrator && (
        <Checkbox
          label={texts.mine}
          checked={filter.isMine}
          onChange={(_event, { checked }) => onChange({ isMine: checked === true })}
        />
      )}
      {filter.agentId !== undefined && (
        <SearchField
          label={texts.agent}
          value={filter.agentId}
          readOnly
          onChange={() => onChange({ agentId: undefined })}
        />
      )}
      {isOfEnded(filter) && (
        <SearchField
          className={styles.search}
          label={texts.endedIn}
          value={texts.endedWhen(
            filter.outcome,
            [filter.endedFrom, filter.endedTo].map((at) =>
              at === undefined ? '' : exactTime(new Date(at), language),
            ),
          )}
          readOnly
          onChange={() => onChange({ endedFrom: undefined, endedTo: undefined, outcome: undefined })}
        />
      )}
      <TimeField
        label={texts.createdFrom}
        prefix={texts.from}
        value={filter.from}
        onChange={(from) => onChange({ from })}
      />
      <TimeField
        label={texts.createdTo}
        prefix={texts.to}
        value={filter.to}
        onChange={(to) => onChange({ to })}
      />
    </div>
  );
}
