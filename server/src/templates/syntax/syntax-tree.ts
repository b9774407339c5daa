/** The parts of a template. */

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | bigint | number | boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'attribute'; readonly target: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly target: Expression; readonly key: Expression }
  | {
      readonly kind: 'slice';
      readonly start: Expression | undefined;
      readonly stop: Expression | undefined;
      readonly step: Expression | undefined;
    }
  | ({ readonly kind: 'call'; readonly target: Expression } & CallArguments)
  /** `target` is undefined in `{% filter %}`, where the text of the block takes its place. */
  | ({ readonly kind: 'filter'; readonly target: Expression | undefined; readonly name: string } & CallArguments)
  | ({ readonly kind: 'test'; readonly target: Expression; readonly name: string } & CallArguments)
  | { readonly kind: 'unary'; readonly operator: 'not' | '-' | '+'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'compare'; readonly first: Expression; readonly rest: readonly Comparison[] }
  | { readonly kind: 'concat'; readonly parts: readonly Expression[] }
  | {
      readonly kind: 'choice';
      readonly condition: Expression;
      /** The value if the condition holds. */
      readonly value: Expression;
      readonly otherwise: Expression | undefined;
    };

export type BinaryOperator = 'and' | 'or' | '+' | '-' | '*' | '/' | '//' | '%' | '**';
export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in';

export interface Comparison {
  readonly operator: ComparisonOperator;
  readonly operand: Expression;
}

export interface CallArguments {
  readonly positional: readonly Expression[];
  readonly named: readonly (readonly [string, Expression])[];
}

/** The place to which `for` and `set` assign: names, or an attribute of a `namespace`. */
export type Target =
  | { readonly kind: 'names'; readonly names: readonly string[]; readonly isTuple: boolean }
  | { readonly kind: 'member'; readonly object: string; readonly attribute: string };

export type Statement =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly expression: Expression }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise: readonly Statement[] }
  | {
      readonly kind: 'for';
      readonly target: Target;
      readonly iterated: Expression;
      readonly condition: Expression | undefined;
      readonly body: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
  /** `{% set x %}…{% endset %}`, whose text passes through filters. */
  | {
      readonly kind: 'capture';
      readonly target: Target;
      readonly filter: Expression | undefined;
      readonly body: readonly Statement[];
    }
  | {
      readonly kind: 'with';
      readonly values: readonly (readonly [Target, Expression])[];
      readonly body: readonly Statement[];
    }
  | { readonly kind: 'filter_block'; readonly filter: Expression; readonly body: readonly Statement[] };

export interface Branch {
  readonly condition: Expression;
  readonly body: readonly Statement[];
}
