;; Finds bytes sixteen at a time. All places are offsets into the imported memory; it is read up to sixteen bytes
;; behind `end`, so that much must be there.
(module
  (import "search" "memory" (memory 1))

  ;; The first place of the needle in [from, end), or -1; -2 when comparing would take more than `patience` bytes.
  ;; Behind the needle's bytes stands one for each of them: 0x20 where a letter of either case is meant (the needle
  ;; has the small one), else 0. `first` and `second` say which two of its bytes are looked for.
  (func (export "find")
    (param $from i32) (param $end i32) (param $needle i32) (param $length i32)
    (param $first i32) (param $second i32) (param $patience i32) (result i32)
    (local $last i32) (local $found i32) (local $at i32) (local $index i32)
    (local $byte1 v128) (local $fold1 v128) (local $byte2 v128) (local $fold2 v128)
    (local.set $last (i32.sub (local.get $end) (local.get $length)))
    (local.set $byte1 (i8x16.splat (i32.load8_u (i32.add (local.get $needle) (local.get $first)))))
    (local.set $byte2 (i8x16.splat (i32.load8_u (i32.add (local.get $needle) (local.get $second)))))
    (local.set $index (i32.add (local.get $needle) (local.get $length)))
    (local.set $fold1 (i8x16.splat (i32.load8_u (i32.add (local.get $index) (local.get $first)))))
    (local.set $fold2 (i8x16.splat (i32.load8_u (i32.add (local.get $index) (local.get $second)))))
    (loop $blocks
      (if (i32.gt_s (local.get $from) (local.get $last)) (then (return (i32.const -1))))
      (local.set $found
        (i8x16.bitmask
          (v128.and
            (i8x16.eq
              (v128.or (v128.load (i32.add (local.get $from) (local.get $first))) (local.get $fold1))
              (local.get $byte1))
            (i8x16.eq
              (v128.or (v128.load (i32.add (local.get $from) (local.get $second))) (local.get $fold2))
              (local.get $byte2)))))
      (if (local.get $found)
        (then
          (loop $candidates
            (local.set $at (i32.add (local.get $from) (i32.ctz (local.get $found))))
            (if (i32.gt_s (local.get $at) (local.get $last)) (then (return (i32.const -1))))
            (local.set $index (i32.const 0))
            (block $differs
              (loop $compare
                (br_if $differs
                  (i32.ne
                    (i32.or
                      (i32.load8_u (i32.add (local.get $at) (local.get $index)))
                      (i32.load8_u
                        (i32.add (i32.add (local.get $needle) (local.get $length)) (local.get $index))))
                    (i32.load8_u (i32.add (local.get $needle) (local.get $index)))))
                (local.set $index (i32.add (local.get $index) (i32.const 1)))
                (br_if $compare (i32.lt_u (local.get $index) (local.get $length))))
              (return (local.get $at)))
            (local.set $patience (i32.sub (local.get $patience) (local.get $index)))
            (if (i32.lt_s (local.get $patience) (i32.const 0)) (then (return (i32.const -2))))
            (local.set $found
              (i32.and (local.get $found) (i32.sub (local.get $found) (i32.const 1))))
            (br_if $candidates (local.get $found)))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br $blocks))
    (unreachable))

  ;; How many newlines are in [from, end).
  (func (export "countNewlines") (param $from i32) (param $end i32) (result i32)
    (local $count i32) (local $left i32)
    (block $done
      (loop $blocks
        (local.set $left (i32.sub (local.get $end) (local.get $from)))
        (br_if $done (i32.le_s (local.get $left) (i32.const 0)))
        (local.set $count
          (i32.add
            (local.get $count)
            (i32.popcnt
              (i32.and
                (i8x16.bitmask
                  (i8x16.eq (v128.load (local.get $from)) (i8x16.splat (i32.const 10))))
                ;; In the last block only what is left counts.
                (select
                  (i32.const 0xffff)
                  (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))
                  (i32.ge_s (local.get $left) (i32.const 16)))))))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (br $blocks)))
    (local.get $count)))
