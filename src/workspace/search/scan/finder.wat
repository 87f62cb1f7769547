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

  ;; The first place in [from, end) where as many bytes as there are sets may stand for them in their order, or -1; a
  ;; byte that is in no set may pass. A set is a bit, the last one the highest, and the bits below the first are in all
  ;; that follows. At `sets` stand sixteen bytes by the lower half of a byte, then sixteen by the upper half: the sets
  ;; with such a byte. `before` has the bits below the first.
  (func (export "findSets")
    (param $from i32) (param $end i32) (param $sets i32) (param $count i32) (param $before i32) (result i32)
    (local $found i32) (local $bytes v128) (local $lower v128) (local $upper v128)
    (local $one v128) (local $two v128) (local $four v128)
    (local $one0 v128) (local $two0 v128) (local $four0 v128)
    (local.set $lower (v128.load (local.get $sets)))
    (local.set $upper (v128.load offset=16 (local.get $sets)))
    (local.set $one0 (i8x16.splat (local.get $before)))
    (local.set $two0 (local.get $one0))
    (local.set $four0 (local.get $one0))
    (loop $blocks
      (if (i32.ge_s (local.get $from) (local.get $end)) (then (return (i32.const -1))))
      (local.set $bytes (v128.load (local.get $from)))
      (local.set $one
        (v128.and
          (i8x16.swizzle (local.get $lower) (v128.and (local.get $bytes) (i8x16.splat (i32.const 15))))
          (i8x16.swizzle
            (local.get $upper)
            (v128.and (i16x8.shr_u (local.get $bytes) (i32.const 4)) (i8x16.splat (i32.const 15))))))
      ;; A set's bit stays where the byte before is in the set before; then two and two, then four and four. What a
      ;; shift brings over from the neighbour are bits that nobody looks at.
      (local.set $two
        (v128.and
          (local.get $one)
          (i16x8.shl
            (i8x16.shuffle 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 (local.get $one0) (local.get $one))
            (i32.const 1))))
      (local.set $four
        (v128.and
          (local.get $two)
          (i16x8.shl
            (i8x16.shuffle 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 (local.get $two0) (local.get $two))
            (i32.const 2))))
      (local.set $found
        (i8x16.bitmask
          (v128.and
            (local.get $four)
            (i16x8.shl
              (i8x16.shuffle 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27
                (local.get $four0) (local.get $four))
              (i32.const 4)))))
      (if (local.get $found)
        (then
          (local.set $found (i32.add (local.get $from) (i32.ctz (local.get $found))))
          (return
            (select
              (i32.const -1)
              (i32.sub (i32.add (local.get $found) (i32.const 1)) (local.get $count))
              (i32.ge_s (local.get $found) (local.get $end))))))
      (local.set $one0 (local.get $one))
      (local.set $two0 (local.get $two))
      (local.set $four0 (local.get $four))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br $blocks))
    (unreachable))

  ;; The first NUL in [from, end), or -1. Most texts have none: four blocks at a time are known to have none by the
  ;; least of their bytes.
  (func (export "findNul") (param $from i32) (param $end i32) (result i32)
    (local $found i32)
    (block $near
      (loop $fours
        (br_if $near (i32.gt_s (i32.add (local.get $from) (i32.const 64)) (local.get $end)))
        (br_if $near
          (i32.eqz
            (i8x16.all_true
              (i8x16.min_u
                (i8x16.min_u (v128.load (local.get $from)) (v128.load offset=16 (local.get $from)))
                (i8x16.min_u
                  (v128.load offset=32 (local.get $from))
                  (v128.load offset=48 (local.get $from)))))))
        (local.set $from (i32.add (local.get $from) (i32.const 64)))
        (br $fours)))
    (loop $blocks
      (if (i32.ge_s (local.get $from) (local.get $end)) (then (return (i32.const -1))))
      (local.set $found
        (i8x16.bitmask (i8x16.eq (v128.load (local.get $from)) (i8x16.splat (i32.const 0)))))
      (if (local.get $found)
        (then
          (local.set $found (i32.add (local.get $from) (i32.ctz (local.get $found))))
          (return
            (select
              (i32.const -1)
              (local.get $found)
              (i32.ge_s (local.get $found) (local.get $end))))))
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
