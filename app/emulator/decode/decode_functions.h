#pragma once

namespace tilescope {

class InstructionDecoder;

// The DecodeFunctions that the instruction table names, by the shape of their operands.
bool decode_operands(InstructionDecoder& decoder);    // addresses and registers, all of them read
bool decode_unary(InstructionDecoder& decoder);       // d, a
bool decode_binary(InstructionDecoder& decoder);      // d, a, b
bool decode_ternary(InstructionDecoder& decoder);     // d, a, b, c
bool decode_count_bits(InstructionDecoder& decoder);  // u32 d, a
bool decode_shift(InstructionDecoder& decoder);       // d, a, u32 b
bool decode_multiply(InstructionDecoder& decoder);    // mul, mad with lo, hi, wide
bool decode_carry(InstructionDecoder& decoder);       // add.cc ... madc
bool decode_add(InstructionDecoder& decoder);         // add, sub: .cc or not
bool decode_bit_field(InstructionDecoder& decoder);   // bfe, bfi
bool decode_word(InstructionDecoder& decoder);        // prmt, shf, fns, bmsk, szext, lop3
bool decode_lop3_predicate(InstructionDecoder& decoder);
bool decode_packed_float(InstructionDecoder& decoder);   // f32x2
bool decode_mixed_float(InstructionDecoder& decoder);    // f32 with f16 or bf16 operands
bool decode_float_binary(InstructionDecoder& decoder);   // add, sub: f32 and mixed
bool decode_float_ternary(InstructionDecoder& decoder);  // fma
bool decode_float_extreme(InstructionDecoder& decoder);  // min, max, also of three
bool decode_video(InstructionDecoder& decoder);
[[nodiscard]] bool is_narrow_conversion(const InstructionDecoder& decoder);
bool decode_narrow_conversion(InstructionDecoder& decoder);
bool decode_dot_product(InstructionDecoder& decoder);  // dp4a, dp2a
bool decode_logic(InstructionDecoder& decoder);        // and, or, xor, not: .pred too
bool decode_testp(InstructionDecoder& decoder);
bool decode_setp(InstructionDecoder& decoder);
bool decode_set(InstructionDecoder& decoder);
bool decode_selp(InstructionDecoder& decoder);
bool decode_slct(InstructionDecoder& decoder);
bool decode_mov(InstructionDecoder& decoder);
bool decode_cvt(InstructionDecoder& decoder);
bool decode_cvt_pack(InstructionDecoder& decoder);
bool decode_cvta(InstructionDecoder& decoder);
bool decode_isspacep(InstructionDecoder& decoder);
bool decode_load(InstructionDecoder& decoder);
bool decode_store(InstructionDecoder& decoder);
bool decode_atomic(InstructionDecoder& decoder);  // atom, red
bool decode_cp_async(InstructionDecoder& decoder);
bool decode_commit_group(InstructionDecoder& decoder);
bool decode_wait_group(InstructionDecoder& decoder);
bool decode_nothing(InstructionDecoder& decoder);  // fences, prefetches
bool decode_branch(InstructionDecoder& decoder);
bool decode_branch_indexed(InstructionDecoder& decoder);
bool decode_call(InstructionDecoder& decoder);
bool decode_call_results(InstructionDecoder& decoder);  // after a call has come back
bool decode_return(InstructionDecoder& decoder);        // ret, exit
bool decode_trap(InstructionDecoder& decoder);
bool decode_yield(InstructionDecoder& decoder);  // nanosleep
bool decode_barrier(InstructionDecoder& decoder);
bool decode_warp_barrier(InstructionDecoder& decoder);
bool decode_shuffle(InstructionDecoder& decoder);
bool decode_vote(InstructionDecoder& decoder);
bool decode_match(InstructionDecoder& decoder);
bool decode_redux(InstructionDecoder& decoder);
bool decode_activemask(InstructionDecoder& decoder);
bool decode_elect(InstructionDecoder& decoder);
bool decode_load_matrix(InstructionDecoder& decoder);  // ldmatrix, stmatrix
bool decode_move_matrix(InstructionDecoder& decoder);
bool decode_matrix_product(InstructionDecoder& decoder);  // mma of any shape and type
bool decode_wmma(InstructionDecoder& decoder);
bool decode_warpgroup_product(InstructionDecoder& decoder);
bool decode_warpgroup_wait(InstructionDecoder& decoder);
bool decode_mbarrier(InstructionDecoder& decoder);
bool decode_mbarrier_wait(InstructionDecoder& decoder);  // test_wait, try_wait
bool decode_copy_arrive(InstructionDecoder& decoder);    // cp.async.mbarrier.arrive
bool decode_bulk_copy(InstructionDecoder& decoder);
bool decode_bulk_reduction(InstructionDecoder& decoder);
bool decode_tensor_copy(InstructionDecoder& decoder);       // loads, stores and reductions
bool decode_tensor_map(InstructionDecoder& decoder);        // tensormap.replace, .cp_fenceproxy
bool decode_texture(InstructionDecoder& decoder);           // tex, tld4
bool decode_texture_query(InstructionDecoder& decoder);     // txq, suq
bool decode_surface(InstructionDecoder& decoder);           // suld, sust
bool decode_convergence(InstructionDecoder& decoder);       // BSSY, BREAK, BMOV of machine code
bool decode_convergence_test(InstructionDecoder& decoder);  // of BRA.DIV
bool decode_converge(InstructionDecoder& decoder);          // BSYNC, WARPSYNC
bool decode_give_way(InstructionDecoder& decoder);          // YIELD
bool decode_pause(InstructionDecoder& decoder);
bool decode_cluster_barrier(InstructionDecoder& decoder);
bool decode_cluster_address(InstructionDecoder& decoder);  // mapa, getctarank
bool decode_async_store(InstructionDecoder& decoder);      // st.async, red.async
bool decode_policy(InstructionDecoder& decoder);           // createpolicy

}  // namespace tilescope
