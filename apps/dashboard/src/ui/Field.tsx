import { type ComponentProps, type ReactNode, useId } from "react"
import { classes } from "./classes.ts"

/** How every box to write in is drawn. */
export const inputClasses =
  "w-full rounded-md border border-edge bg-panel px-2.5 py-1.5 text-base placeholder:text-muted disabled:opacity-50"

interface FieldProps {
  readonly label: string
  /** A sentence about the text that belongs there. */
  readonly hint?: ReactNode
  readonly children: (ids: { readonly id: string; readonly "aria-describedby": string | undefined }) => ReactNode
}

/** A label over its box, and a hint below. */
export const Field = ({ children, hint, label }: FieldProps) => {
  const id = useId()
  const hintId = `${id}-hint`
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": hint === undefined ? undefined : hintId })}
      {hint !== undefined && (
        <p id={hintId} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  )
}

interface TextFieldProps extends Omit<ComponentProps<"input">, "onChange" | "id"> {
  readonly label: string
  readonly hint?: ReactNode
  readonly onChange: (text: string) => void
}

/** A line to write. */
export const TextField = ({ className, hint, label, onChange, ...rest }: TextFieldProps) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
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

interface TextAreaProps extends Omit<ComponentProps<"textarea">, "onChange" | "id"> {
  readonly label: string
  readonly hint?: ReactNode
  readonly onChange: (text: string) => void
}

/** Several lines to write; Control or Command with Enter sends the form. */
export const TextArea = ({ className, hint, label, onChange, ...rest }: TextAreaProps) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
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
