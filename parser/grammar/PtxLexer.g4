// The words of PTX: NVIDIA's manual "Parallel Thread Execution ISA", chapter 4 (Syntax), versions 1.0 to 9.x.
//
// No word is reserved. A kernel may be named `add`, a label `bra`, a register `global`: such words are IDENTIFIERs, and so
// are opcodes. Only words with a leading dot are told apart, and each of those is a modifier too where it follows an
// opcode (see `modifier` in PtxParser.g4).
//
// The characters are the bytes of the file (Latin-1), so that every offset is a byte offset. There are no predicates and no
// actions: parser/scanner.cpp is a second, faster lexer of exactly this vocabulary, and a test holds the two together.
lexer grammar PtxLexer;

// ---- Directives (chapter 11) -------------------------------------------------------------------------------------------

VERSION         : '.version' ;
TARGET          : '.target' ;
ADDRESS_SIZE    : '.address_size' ;
FILE            : '.file' ;
LOC             : '.loc' ;
SECTION         : '.section' ;
PRAGMA          : '.pragma' ;
ENTRY           : '.entry' ;
FUNC            : '.func' ;
ALIAS           : '.alias' ;
BRANCH_TARGETS  : '.branchtargets' ;
CALL_TARGETS    : '.calltargets' ;
CALL_PROTOTYPE  : '.callprototype' ;

// Linking (11.6). `.common` is of PTX 5.0 and later.
LINKAGE : '.extern' | '.visible' | '.weak' | '.common' ;

// What a function is promised or asked to keep to (11.2 to 11.5), written between its header and its body.
PERFORMANCE
  : '.maxnreg' | '.maxntid' | '.reqntid' | '.minnctapersm' | '.maxnctapersm' | '.noreturn'
  | '.explicitcluster' | '.reqnctapercluster' | '.maxclusterrank' | '.blocksareclusters'
  | '.abi_preserve' | '.abi_preserve_control'
  ;

// ---- State spaces (5.1), types (5.2, 5.3) and what else a declaration says (5.4) ------------------------------------------

REG    : '.reg' ;
SPACE  : '.sreg' | '.const' | '.global' | '.local' | '.param' | '.shared' | '.tex' ;

TYPE
  : '.pred'
  | '.b8'  | '.b16' | '.b32' | '.b64' | '.b128'
  | '.u8'  | '.u16' | '.u32' | '.u64'
  | '.s8'  | '.s16' | '.s32' | '.s64'
  | '.f16' | '.f16x2' | '.f32' | '.f64' | '.bf16' | '.bf16x2'
  | '.texref' | '.samplerref' | '.surfref'
  ;

VECTOR     : '.v2' | '.v4' | '.v8' ;
ALIGN      : '.align' ;
POINTER    : '.ptr' ;
ATTRIBUTE  : '.attribute' ;

// ---- Numbers (4.5) -----------------------------------------------------------------------------------------------------
// Before DOT_WORD: `.5` is a number, `.5x` is a word.

FLOAT     : [0-9]+ '.' [0-9]* EXPONENT? | '.' [0-9]+ EXPONENT? | [0-9]+ EXPONENT ;
HEX_FLOAT : '0' [fF] HEX HEX HEX HEX HEX HEX HEX HEX
          | '0' [dD] HEX HEX HEX HEX HEX HEX HEX HEX HEX HEX HEX HEX HEX HEX HEX HEX ;
INTEGER   : ( '0' [xX] HEX+ | '0' [bB] [01]+ | '0' [0-7]* | [1-9] [0-9]* ) 'U'? ;

// A number that is none of these (`09`, `0f3f80`, `12abc`): one token, so that the message can say so.
BAD_NUMBER : [0-9] FOLLOW* ;

fragment EXPONENT : [eE] [+-]? [0-9]+ ;
fragment HEX      : [0-9a-fA-F] ;

// ---- Words (4.4) -------------------------------------------------------------------------------------------------------

// Any other word with a dot: a modifier, an unknown directive, the name of a section.
DOT_WORD : '.' WORD ;

IDENTIFIER : NAME ;

// A word with further words at its dots and nothing between: `ld.global.v4.f32`, `cp.async.bulk.shared::cluster.global`
// (an opcode), `%tid.x`, `%r1.b0` (an operand with its selector). One token, as it is one word to a reader.
DOTTED : NAME ( '.' WORD )+ ;

// The bit bucket: an operand that is thrown away.
SINK : '_' ;

fragment NAME   : [a-zA-Z] FOLLOW* | [_$%] FOLLOW+ ;
fragment WORD   : FOLLOW+ ( '::' FOLLOW+ ( ':' [0-9] FOLLOW* )? )* ;  // `.sp::2:4`
fragment FOLLOW : [a-zA-Z0-9_$] ;

// A backslash takes the next character with it, unless the string would have no end on its line then: `"C:\dir\"`.
STRING              : '"' ( ~["\\\r\n] | '\\' ~[\r\n] )* '"' | '"' ~["\r\n]* '"' ;
UNTERMINATED_STRING : '"' ~["\r\n]* ;

// ---- Signs -------------------------------------------------------------------------------------------------------------

SEMICOLON : ';' ;
COMMA     : ',' ;
COLON     : ':' ;
LBRACE    : '{' ;
RBRACE    : '}' ;
LPAREN    : '(' ;
RPAREN    : ')' ;
LBRACKET  : '[' ;
RBRACKET  : ']' ;
LESS      : '<' ;
GREATER   : '>' ;
ASSIGN    : '=' ;
AT        : '@' ;
NOT       : '!' ;
TILDE     : '~' ;
PLUS      : '+' ;
MINUS     : '-' ;
STAR      : '*' ;
SLASH     : '/' ;
PERCENT   : '%' ;
AMPERSAND : '&' ;
BAR       : '|' ;
CARET     : '^' ;
QUESTION  : '?' ;
SHIFT_LEFT    : '<<' ;
SHIFT_RIGHT   : '>>' ;
LESS_EQUAL    : '<=' ;
GREATER_EQUAL : '>=' ;
EQUAL         : '==' ;
NOT_EQUAL     : '!=' ;
AND_AND       : '&&' ;
OR_OR         : '||' ;

// ---- Whole lines -------------------------------------------------------------------------------------------------------

// `@@DWARF …` (11.5.1, deprecated): the rest of the line is for the debugger.
DWARF_LINE : '@@' ~[\r\n]* ;

// What a C preprocessor leaves: `# 12 "file.cu"`. Inside a statement it counts as white space.
LINE_MARKER : '#' ~[\r\n]* ;

// ---- What is not text --------------------------------------------------------------------------------------------------

WHITE_SPACE          : [ \t\r\n\f\u000B\u001A\u0000]+ -> skip ;
BYTE_ORDER_MARK      : '\u00EF\u00BB\u00BF' -> skip ;
LINE_COMMENT         : '//' ~[\r\n]* -> skip ;
COMMENT              : '/*' .*? '*/' -> skip ;
UNTERMINATED_COMMENT : '/*' ( ~[*] | '*'+ ~[*/] )* '*'* ;

// Any other byte, so that the lexer never stops.
STRAY : . ;
