import { type ComponentProps, type ReactNode, useId } from "react"
import { classes } from "./classes.ts"
import { FaultText } from "./FaultText.tsx"
import { type Member, useFault } from "./formFaults.ts"

/** How every box to write in is drawn. */
export const inputClasses =
  "w-full rounded-md border border-edge bg-panel px-2.5 py-1.5 text-base placeholder:text-muted disabled:opacity-50 aria-invalid:border-bad"

/** The id of the label of the box with this id. A button that shows a value is named by its label and by itself, so it refers to both. */
export const labelIdOf = (id: string): string => `${id}-label`

interface FieldProps {
  readonly label: string
  /** A sentence about the text that belongs there. */
  readonly hint?: ReactNode
  /** The part of the body that it writes: its fault is shown here. */
  readonly member?: Member | undefined
  readonly children: (ids: {
    readonly id: string
    readonly "aria-describedby": string | undefined
    readonly "aria-invalid": boolean
  }) => ReactNode
}

/** A label over its box, and below a hint and the fault of what was written. */
export const Field = ({ children, hint, label, member }: FieldProps) => {
  const id = useId()
  const fault = useFault(member, label)
  const hintId = `${id}-hint`
  const faultId = `${id}-fault`
  const described = [...(hint === undefined ? [] : [hintId]), ...(fault === undefined ? [] : [faultId])].join(" ")
  return (
    <div data-field className="grid gap-1">
      <label id={labelIdOf(id)} htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": fault !== undefined })}
      {hint !== undefined && (
        <p id={hintId} className="text-sm text-muted">
          {hint}
        </p>
      )}
      <FaultText id={faultId} fault={fault} />
    </div>
  )
}

interface TextFieldProps extends Omit<ComponentProps<"input">, "onChange" | "id"> {
  readonly label: string
  readonly hint?: ReactNode
  readonly member?: Member
  readonly onChange: (text: string) => void
}

/** A line to write. */
export const TextField = ({ className, hint, label, member, onChange, ...rest }: TextFieldProps) => (
  <Field label={label} member={member} {...(hint === undefined ? {} : { hint })}>
    {(ids) => (
      <input
        {...ids}
        {...rest}
        className={classes(inputClasses, className)}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
)

/** A line for a URL. */
export const UrlField = (props: Omit<TextFieldProps, "type" | "placeholder">) => (
  <TextField type="url" placeholder="https://…" {...props} />
)

interface TextAreaProps extends Omit<ComponentProps<"textarea">, "onChange" | "id"> {
  readonly label: string
  readonly hint?: ReactNode
  readonly member?: Member
  readonly onChange: (text: string) => void
}

/** Several lines to write; Control or Command with Enter sends the form. */
export const TextArea = ({ className, hint, label, member, onChange, ...rest }: TextAreaProps) => (
  <Field label={label} member={member} {...(hint === undefined ? {} : { hint })}>
    {(ids) => (
      <textarea
        {...ids}
        {...rest}
        className={classes(inputClasses, className)}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit()
        }}
      />
    )}
  </Field>
)
