// The sentences of PTX, versions 1.0 to 9.x. Section numbers are those of the manual "Parallel Thread Execution ISA".
//
// The parse is a function of the kinds of the tokens alone: no predicates, no actions, no word treated apart. That is what
// lets parser/shape_cache.h ask this grammar once for each distinct sequence of kinds and reuse the answer. What depends on
// the spelling (is `p` a register? does `foo` take two operands?) is not syntax here and is decided later.
//
// Lists of any length (initialisers, section bodies) are written `element (',' element)*`: an element more of a form
// already seen never changes the parse. The cache relies on it.
parser grammar PtxParser;

options { tokenVocab = PtxLexer; }

// ---- Module ------------------------------------------------------------------------------------------------------------

// A whole file. ptxscope cuts it into statements first and asks for `oneStatement`; this rule is the same language.
module : moduleItem* EOF ;

moduleItem
  : versionDirective
  | targetDirective
  | addressSizeDirective
  | functionHeader ( SEMICOLON | pragmaDirective* scope )?
  | variableDeclaration
  | registerDeclaration
  | aliasDirective
  | commonItem
  ;

// A function's body and each block in it: names declared inside are gone at its end.
scope : LBRACE bodyItem* RBRACE ;

bodyItem
  : scope
  | label
  | instruction
  | registerDeclaration
  | variableDeclaration
  | branchTargets
  | callTargets
  | callPrototype
  | commonItem
  ;

// What may stand at module level and in a body.
commonItem
  : fileDirective
  | locDirective
  | sectionDirective
  | pragmaDirective
  | otherDirective
  | DWARF_LINE
  | LINE_MARKER
  | SEMICOLON
  ;

// One statement of either level; braces that open and close scopes are statements of their own.
oneStatement
  : ( instruction
    | label
    | LBRACE
    | RBRACE
    | registerDeclaration
    | variableDeclaration
    | functionHeader SEMICOLON?
    | versionDirective
    | targetDirective
    | addressSizeDirective
    | aliasDirective
    | branchTargets
    | callTargets
    | callPrototype
    | commonItem
    ) EOF
  ;

// ---- Header (11.1) -----------------------------------------------------------------------------------------------------

// `.version 9.0`
versionDirective : VERSION ( FLOAT | INTEGER ) ;

// `.target sm_90a, debug`
targetDirective : TARGET IDENTIFIER ( COMMA IDENTIFIER )* ;

// `.address_size 64`
addressSizeDirective : ADDRESS_SIZE INTEGER ;

// ---- Functions (11.2) --------------------------------------------------------------------------------------------------

// `.visible .entry k(.param .u64 p) .maxntid 256`, `.func (.param .b32 r) f (.param .b32 a)`, `.func f`
functionHeader
  : LINKAGE* ( ENTRY | FUNC ) attributeClause* returnParameters? functionName parameters? functionDirective*
  ;

functionName : IDENTIFIER ;

returnParameters : LPAREN ( parameter ( COMMA parameter )* )? RPAREN ;
parameters       : LPAREN ( parameter ( COMMA parameter )* )? RPAREN ;

// `.param .align 16 .b8 p[64]`, `.param .u64 .ptr .global .align 8 p`, `.reg .u32 %a`, `.param .b32 _`
parameter : parameterSpace declarationWord* declarator? ;

parameterSpace : SPACE | REG ;

// `.maxntid 16, 16, 1`, `.noreturn`, and those to come: a word and its values.
functionDirective
  : ( PERFORMANCE | DOT_WORD ) ( directiveValue ( COMMA directiveValue )* )?
  | attributeClause
  ;

directiveValue : expression | STRING ;

// ---- Variables (5.4) ---------------------------------------------------------------------------------------------------

// `.reg .b32 %r<100>, x;`
registerDeclaration : REG declarationWord* declarator ( COMMA declarator )* SEMICOLON ;

// `.visible .global .align 4 .b8 table[2][3] = {{1, 2, 3}, {4, 5, 6}};`
variableDeclaration
  : leadingWord* variableSpace declarationWord* initializedDeclarator ( COMMA initializedDeclarator )* SEMICOLON
  ;

leadingWord : LINKAGE | alignment | attributeClause ;

// `.const[3]` names a bank (until PTX 2.1).
variableSpace : SPACE ( LBRACKET expression RBRACKET )? ;

declarationWord
  : TYPE
  | VECTOR
  | alignment
  | pointerClause
  | attributeClause
  | DOT_WORD
  ;

// `.align 16`
alignment : ALIGN INTEGER ;

// `.ptr .global .align 8` (11.4.3): where a kernel parameter points to, and how well aligned.
pointerClause : POINTER ( SPACE | DOT_WORD )? alignment? ;

// `.attribute(.managed)`, `.attribute(.unified(19, 95))` (5.4.8)
attributeClause : ATTRIBUTE LPAREN attribute ( COMMA attribute )* RPAREN ;
attribute       : dotWord ( LPAREN expression ( COMMA expression )* RPAREN )? ;

initializedDeclarator : declarator ( ASSIGN initializer )? ;

// `x`, `%r<100>`, `a[4][]`
declarator     : ( IDENTIFIER | SINK ) registerRange? arrayDimension* ;
registerRange  : LESS INTEGER GREATER ;
arrayDimension : LBRACKET expression? RBRACKET ;


// `{1, 2}`, `{{1}, {2}}`, `generic(x) + 8`, `"text"`, `{addr_mode_0 = wrap}` (for samplers)
initializer        : expression | STRING | initializerList ;
initializerList    : LBRACE ( initializerElement ( COMMA initializerElement )* COMMA? )? RBRACE ;
initializerElement : initializer | IDENTIFIER ASSIGN expression ;

// ---- Instructions (4.3.2) ----------------------------------------------------------------------------------------------

// `@!%p1 ld.global.v4.f32 {%f1, _, %f2, %f3}, [%rd1+16];`
instruction : guard? opcode ( operand ( COMMA operand )* )? SEMICOLON ;

guard  : AT NOT? name ;

// White space between an opcode and its modifiers is allowed.
opcode : ( IDENTIFIER | DOTTED ) modifier* ;

modifier : dotWord ;

// `loop:`
label : IDENTIFIER COLON ;

operand
  : pair
  | vector
  | address
  | callList
  | NOT name
  | SINK
  | STRING
  | expression
  ;

// With a selector (`%tid.x`, `%r1.b0`) it is one word, unless there is white space before the dot.
name : IDENTIFIER dotWord? | DOTTED ;

// `%p1|%p2`, `_|%p2`, `{%f0, %f1}|%p1`
pair     : pairHalf BAR pairHalf ;
pairHalf : name | SINK | vector ;

// `{%f1, _, 0, -1}`
vector  : LBRACE element ( COMMA element )* RBRACE ;
element : NOT name | SINK | STRING | vector | expression ;

// `[%rd1]`, `[table+4]`, `[%r1+-4]`, `[tex, smp, {%f1, %f2}]`, `[[%r1], {…}]`, `[%rd1].unified`
address         : LBRACKET addressElement ( COMMA addressElement )* RBRACKET dotWord? ;
addressElement  : vector | address | SINK | expression ;

// `(a, b)` of a call. A constant in parentheses has the same form; the opcode tells which it is.
callList : LPAREN ( callElement ( COMMA callElement )* )? RPAREN ;
callElement : vector | address | SINK | STRING | NOT name | expression ;

// ---- Constant expressions (4.5) ----------------------------------------------------------------------------------------

expression
  : primary
  | unaryOperator+ primary
  | expression ( STAR | SLASH | PERCENT ) expression
  | expression ( PLUS | MINUS ) expression
  | expression ( SHIFT_LEFT | SHIFT_RIGHT ) expression
  | expression ( LESS | GREATER | LESS_EQUAL | GREATER_EQUAL ) expression
  | expression ( EQUAL | NOT_EQUAL ) expression
  | expression AMPERSAND expression
  | expression CARET expression
  | expression BAR expression
  | expression AND_AND expression
  | expression OR_OR expression
  | <assoc = right> expression QUESTION expression COLON expression
  ;

// A cast is `(.s64)` or `(.u64)`.
unaryOperator : PLUS | MINUS | NOT | TILDE | LPAREN TYPE RPAREN ;

primary
  : INTEGER
  | FLOAT
  | HEX_FLOAT
  | name ( LBRACKET expression RBRACKET )*       // `a[3]`
  | name LPAREN expression RPAREN                // `generic(x)`
  | INTEGER LPAREN expression RPAREN             // `0xff00(x)`: mask, one byte of an address
  | LPAREN expression RPAREN
  ;

// ---- Control flow directives (11.3) --------------------------------------------------------------------------------------

// `ts: .branchtargets L1, L2;` The label is a statement of its own.
branchTargets : BRANCH_TARGETS IDENTIFIER ( COMMA IDENTIFIER )* SEMICOLON ;
callTargets   : CALL_TARGETS IDENTIFIER ( COMMA IDENTIFIER )* SEMICOLON ;

// `fp: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;`
callPrototype : CALL_PROTOTYPE returnParameters? ( SINK | IDENTIFIER ) parameters? functionDirective* SEMICOLON ;

// `.alias f, g;`
aliasDirective : ALIAS IDENTIFIER COMMA IDENTIFIER SEMICOLON ;

// ---- Debugging and others (11.5, 11.7) -------------------------------------------------------------------------------------

// `.file 1 "a.cu"`, `.file 1 "a.cu", 1700000000, 1234`
fileDirective : FILE INTEGER STRING ( COMMA INTEGER COMMA INTEGER )? ;

// `.loc 1 12 5, function_name $L__info_string0+3, inlined_at 1 40 9`
locDirective : LOC INTEGER INTEGER INTEGER ( COMMA locAttribute )* ;
locAttribute
  : IDENTIFIER INTEGER INTEGER INTEGER
  | IDENTIFIER IDENTIFIER ( ( PLUS | MINUS ) INTEGER )?
  ;

// `.section .debug_info { .b32 96 .b8 2, 0 L: .b64 a+3 .b32 b-a .b32 .debug_abbrev }`
sectionDirective : SECTION ( dotWord | IDENTIFIER | DOTTED ) LBRACE sectionItem* RBRACE ;
sectionItem      : sectionLabel | TYPE sectionValue ( COMMA sectionValue )* ;
sectionLabel     : IDENTIFIER COLON ;
sectionValue     : expression | STRING | DOT_WORD ( ( PLUS | MINUS ) expression )? ;

// `.pragma "nounroll", "used_bytes_mask 0x0f";`
pragmaDirective : PRAGMA STRING ( COMMA STRING )* SEMICOLON ;

// A directive this grammar does not know, so that a new one does not stop anybody.
otherDirective : DOT_WORD otherArgument* SEMICOLON ;
otherArgument  : COMMA | dotWord | operand ;

// Every word with a dot can be a modifier or the name of a section.
dotWord
  : DOT_WORD | VERSION | TARGET | ADDRESS_SIZE | FILE | LOC | SECTION | PRAGMA | ENTRY | FUNC | ALIAS | BRANCH_TARGETS
  | CALL_TARGETS | CALL_PROTOTYPE | LINKAGE | PERFORMANCE | REG | SPACE | TYPE | VECTOR | ALIGN | POINTER | ATTRIBUTE
  ;
